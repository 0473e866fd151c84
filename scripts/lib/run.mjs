// Running programs from scripts.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Runs a program with our terminal. Resolves to its exit status; a signal that ended it counts as 1. */
export function run(command, args, { env = {} } = {}) {
  return new Promise(resolve => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    child.once('error', error => {
      console.error(`${command}: ${error.message}`)
      resolve(127)
    })
    child.once('exit', code => resolve(code ?? 1))
  })
}

/** What a program prints, or undefined when it is missing or fails. */
export function output(command, args, { timeout = 20_000 } = {}) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8', timeout })
  return status === 0 ? stdout.trim() : undefined
}

export const seconds = since => `${((Date.now() - since) / 1000).toFixed(1)} s`

/** Installs the packages of the lock file where they are missing or older than it. */
export async function ensurePackages() {
  const installed = join(root, 'node_modules/.package-lock.json')
  const missing = !existsSync(installed)
  if (!missing && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return
  const start = Date.now()
  console.log(`npm ci, because the packages are ${missing ? 'not installed' : 'older than package-lock.json'}`)
  const status = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  if (status !== 0) process.exit(status)
  console.log(`packages installed in ${seconds(start)}`)
}
