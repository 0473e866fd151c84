/** Looks soon after a new generation: the second round of a cooperative rebalance usually follows at once. */
const afterGenerationMs = [20, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300]

/** When to send heartbeats. One is under way at a time; what they say is the caller's. */
export class Heartbeats {
  private timer: NodeJS.Timeout | undefined
  private running = false
  private step = afterGenerationMs.length

  constructor(
    private readonly intervalMs: () => number,
    /** Never rejects. */
    private readonly beat: () => Promise<void>,
  ) {}

  start(): void {
    if (this.running) return
    this.running = true
    this.schedule()
  }

  /** A new generation has begun. */
  hurry(): void {
    this.step = 0
    if (this.timer && this.running) this.schedule()
  }

  stop(): void {
    this.running = false
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private schedule(): void {
    clearTimeout(this.timer)
    const delay = Math.min(afterGenerationMs[this.step] ?? Number.POSITIVE_INFINITY, this.intervalMs())
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.step++
      void this.beat().then(() => {
        if (this.running && !this.timer) this.schedule()
      })
    }, delay)
  }
}
