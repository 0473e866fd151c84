/**
 * Work in slices. Long computations are generators that yield after a bounded number of steps, so that one and the same
 * code runs at a stretch or with pauses in between. Steps are counted, never timed: the result cannot depend on speed.
 */
export type Work<Result> = Generator<undefined, Result, undefined>

/** Counts steps; one step is about one visit of an array cell. */
export class Steps {
  private left: number

  constructor(private readonly perSlice: number) {
    this.left = perSlice
  }

  /** True when the slice is used up: the caller then yields. */
  spent(steps: number): boolean {
    this.left -= steps
    if (this.left > 0) return false
    this.left = this.perSlice
    return true
  }
}

/** Runs to the end without a pause. */
export function runAtOnce<Result>(work: Work<Result>): Result {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

/** Does work of one's own at a stretch. */
export const atOnce = <Result>(work: (steps: Steps) => Work<Result>): Result =>
  runAtOnce(work(new Steps(Number.POSITIVE_INFINITY)))

/** Runs slice by slice with a pause after each. */
export async function runInSlices<Result>(work: Work<Result>, pause: () => Promise<void>): Promise<Result> {
  let step = work.next()
  while (!step.done) {
    await pause()
    step = work.next()
  }
  return step.value
}
