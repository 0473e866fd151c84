/** A point in time by which something has to be done. */
export class Deadline {
  private readonly end: number

  constructor(ms: number) {
    this.end = performance.now() + ms
  }

  get leftMs(): number {
    return Math.max(0, this.end - performance.now())
  }

  /** What `work` gives, or `late()` thrown when the time is over (or `atMostMs` are). What `work` does is not stopped. */
  async within<T>(work: Promise<T>, late: () => Error, atMostMs = Number.POSITIVE_INFINITY): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late()), Math.min(this.leftMs, atMostMs))
    })
    try {
      return await Promise.race([work, expired])
    } finally {
      clearTimeout(timer)
    }
  }
}
