/** Small things around promises and timers. */

export interface Deferred<Value> {
  readonly promise: Promise<Value>
  resolve(value: Value): void
  reject(error: unknown): void
}

/** A promise with its handles outside. A rejection that nobody waits for is no unhandled one. */
export function deferred<Value>(): Deferred<Value> {
  let resolve!: (value: Value) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** Waits for `promise`, for at most `ms`; leaves no timer behind. Undefined if the time is over first. */
export async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const bound = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([promise, bound])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves after all microtasks, and what they started at once, have run. */
export const nextMacrotask = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Sleeps that an end can cut short, so that nothing is left behind. */
export class Naps {
  private readonly wakers = new Set<() => void>()

  take(ms: number): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        clearTimeout(timer)
        this.wakers.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.wakers.add(wake)
    })
  }

  /** Ends all sleeps that are under way. */
  wake(): void {
    for (const wake of [...this.wakers]) wake()
  }
}
