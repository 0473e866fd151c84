/** The little of signals that one page needs: reading is plain, and writing has the page drawn again, once, soon after. */

export interface Signal<T> {
  value: T
}

let draw = (): void => {}
let isDue = false

/** What is called, some time after one or more signals have changed. */
export function onChange(listener: () => void): void {
  draw = listener
}

export function signal<T>(initial: T): Signal<T> {
  let current = initial
  return {
    get value() {
      return current
    },
    set value(next) {
      if (Object.is(next, current)) return
      current = next
      if (isDue) return
      isDue = true
      queueMicrotask(() => {
        isDue = false
        draw()
      })
    },
  }
}

/** A value that is computed again when what it depends on is another object; from the last one, where that helps. */
export function computed<S, T>(source: () => S, compute: (source: S, last?: T) => T): { readonly value: T } {
  let known: { source: S; value: T } | undefined
  return {
    get value() {
      const now = source()
      if (!known || !Object.is(known.source, now)) known = { source: now, value: compute(now, known?.value) }
      return known.value
    },
  }
}
