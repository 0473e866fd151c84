/** Waiting for conditions. Deadlines are generous: they bound a failure, they assert nothing about speed. */

/** Milliseconds of a clock that all processes of a machine share and nobody sets back. */
export const now = (): number => Number(process.hrtime.bigint() / 1000n) / 1000

export const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

let prefix = ''

/** Names the test file in what it says: two may run at once. */
export function sayAs(name: string): void {
  prefix = `${name}: `
}

/** Prints a line straight to the terminal; jest's console would wrap each into five. */
export function say(text: string): void {
  process.stderr.write(`    ${prefix}${text}\n`)
}

/** Thrown by a probe: what is waited for cannot happen any more. */
export class Hopeless extends Error {}

export interface UntilOptions {
  timeoutMs?: number
  everyMs?: number
}

/**
 * Calls `probe` until it returns something other than undefined or false, and returns that.
 * What it throws counts as "not yet", unless it is Hopeless. Fails with the last state: the string from `explain`, or what was thrown last.
 */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 60_000, everyMs = 50, explain }: UntilOptions & { explain?: () => string } = {},
): Promise<T> {
  const start = now()
  let problem = ''
  for (;;) {
    try {
      const value = await probe()
      if (value !== undefined && value !== false) return value
      problem = explain?.() ?? ''
    } catch (error) {
      if (error instanceof Hopeless) throw new Error(`${what} cannot happen. ${error.message}\n${explain?.() ?? ''}`)
      problem = explain?.() || String(error)
    }
    const waited = now() - start
    if (waited > timeoutMs) throw new Error(`after ${seconds(waited)}: ${what} has not happened. ${problem}`)
    await sleep(everyMs)
  }
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
