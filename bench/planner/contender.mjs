/** Runs one contender on one group in a process of its own and reads what it measured. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/**
 * @param {string[]} command and arguments; it prints JSON lines, `first` (ms of the first plan) and then `runs`
 * @param {number} capMs how long one plan may take
 * @returns {Promise<{first: number, median: number, best: number, runs: number, [more: string]: unknown}
 *   | {over: number} | {error: string}>}
 */
export async function measure([program, ...args], capMs) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  let over = false
  let deadline
  const allow = ms => {
    clearTimeout(deadline)
    deadline = setTimeout(() => {
      over = true
      stop()
    }, ms)
  }
  // Starting and reading the group may take seconds too.
  allow(capMs + 30_000)
  let said = {}
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    errors = (errors + text).slice(-2000)
  })
  createInterface({ input: child.stdout }).on('line', line => {
    const news = JSON.parse(line)
    if (news.ready) allow(capMs)
    else if (news.first !== undefined) allow(20 * capMs)
    said = { ...said, ...news }
  })
  const status = await new Promise(resolve => {
    child.once('error', error => {
      errors = String(error)
      resolve(-1)
    })
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  clearTimeout(deadline)
  process.off('exit', stop)
  if (over || said.first > capMs) return { over: capMs }
  if (status !== 0 || !said.runs) return { error: `${status}: ${errors.trim()}` }
  const sorted = [...said.runs].sort((a, b) => a - b)
  return { ...said, runs: sorted.length, median: sorted[sorted.length >> 1], best: sorted[0] }
}
