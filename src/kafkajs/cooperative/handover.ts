import type { CommitGate } from './commit-gate'
import { type Deferred, deferred, nextMacrotask, within } from './deferred'
import type { Fence, Ownership } from './fence'

export interface HandoverPorts {
  /** Runs the user's onPartitionsRevoked, for as long as it may take. Never rejects. */
  revoke(ownerships: readonly Ownership[]): Promise<void>
  /** Some were given up: the group has to hear of it. */
  surrendered(): void
}

/**
 * Gives revoked partitions up: after their last batch has ended, what it committed has been answered, and the user's
 * callback has run. If some are still being worked on, the others wait for them, but not for longer than the grace.
 */
export class Handover {
  private task: Promise<void> | null = null
  private revoking: Promise<void> | null = null
  private timer: NodeJS.Timeout | undefined
  private graceBegan: number | null = null
  private stopped = false
  private waiting: Deferred<void> | null = null

  constructor(
    private readonly fence: Fence,
    private readonly commits: CommitGate,
    private readonly graceMs: number,
    private readonly ports: HandoverPorts,
  ) {}

  start(): void {
    this.stopped = false
  }

  /** Call when something may have become ready: after an assignment, and when a batch has ended. */
  check(): void {
    if (this.task || this.stopped) return
    const { draining, drained } = this.fence
    if (drained.length === 0 || (drained.length < draining.length && this.stillInGrace())) return
    this.reset()
    this.task = this.giveUp(drained).finally(() => {
      this.task = null
      if (this.fence.draining.length === 0) this.release()
      this.check()
    })
  }

  /**
   * Waits until all is handed over that is revoked, but not for longer than the grace. A member that joins before that
   * makes the group go through another round for what it still holds.
   */
  async settled(): Promise<void> {
    if (this.stopped || this.fence.draining.length === 0) return
    this.waiting ??= deferred()
    await within(this.waiting.promise, this.graceMs)
  }

  /** Begins nothing new, and waits for a callback that is running, but not for commits: the coordinator may be away. */
  async stop(): Promise<void> {
    this.stopped = true
    this.reset()
    this.release()
    await this.revoking
  }

  private stillInGrace(): boolean {
    this.graceBegan ??= Date.now()
    const left = this.graceBegan + this.graceMs - Date.now()
    if (left <= 0) return false
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.check()
    }, left + 1)
    return true
  }

  private release(): void {
    this.waiting?.resolve()
    this.waiting = null
  }

  private reset(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.graceBegan = null
  }

  private async giveUp(ownerships: readonly Ownership[]): Promise<void> {
    // kafkajs commits a batch just after it has said that the batch has ended.
    await nextMacrotask()
    await this.commits.settled()
    const due = this.stopped ? [] : ownerships.filter(ownership => this.isDue(ownership))
    if (due.length === 0) return
    for (const ownership of due) ownership.revocationTold = true
    this.revoking = this.ports.revoke(due)
    await this.revoking
    this.revoking = null
    // The callback may have committed.
    await this.commits.settled()
    if (this.stopped) return
    let surrendered = false
    for (const ownership of due)
      if (this.isDue(ownership)) {
        this.fence.surrender(ownership)
        surrendered = true
      }
    if (surrendered) this.ports.surrendered()
  }

  /** Neither given back nor lost meanwhile. */
  private isDue(ownership: Ownership): boolean {
    return this.fence.holds(ownership) && ownership.phase === 'draining'
  }
}
