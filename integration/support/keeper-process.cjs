'use strict'
// See keeper.ts. Reads what to guard as JSON lines; when its input ends, ends and removes what is still on the list.
const { execFileSync } = require('node:child_process')
const { rmSync } = require('node:fs')
const { createInterface } = require('node:readline')

process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})

const list = new Map()
const lines = createInterface({ input: process.stdin })
lines.on('line', line => {
  const { action, ...what } = JSON.parse(line)
  const key = JSON.stringify(what)
  if (action === 'guard') list.set(key, what)
  else list.delete(key)
})
lines.on('close', () => {
  const all = [...list.values()]
  for (const { pid } of all) if (pid) attempt(() => process.kill(pid, 'SIGKILL'))
  for (const { label } of all) if (label) attempt(() => removeLabelled(label))
  for (const { directory } of all)
    if (directory) attempt(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
})

function attempt(action) {
  try {
    action()
  } catch {
    // Gone already: that is what we want.
  }
}

function removeLabelled(label) {
  const docker = (...args) => execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const filter = ['--filter', `label=${label}`, '-q']
  for (const id of docker('ps', '-a', ...filter).split('\n')) if (id) attempt(() => docker('rm', '-fv', id))
  for (const id of docker('network', 'ls', ...filter).split('\n')) if (id) attempt(() => docker('network', 'rm', id))
}
