import type { Fence } from './fence'
import { Fetchers } from './fetchers'
import type { PartitionKey } from './partition-key'

/** What kafkajs and the user's handlers are at: whether they get on, and which batches have ended. */
export class Activity {
  private lastSign = 0
  private readonly fetchers: Fetchers

  constructor(
    private readonly fence: Fence,
    private readonly maxPollIntervalMs: number,
    knownNodes: () => readonly (number | string)[],
    /** Batches have ended: others may have waited for that. */
    private readonly batchesEnded: () => void,
  ) {
    this.fetchers = new Fetchers(knownNodes)
  }

  /** kafkajs does something. */
  sign(): void {
    this.lastSign = Date.now()
  }

  /** No sign of kafkajs, or a batch that no handler gets on with: a member that is like that does not count. */
  get isStuck(): boolean {
    const { maxPollIntervalMs } = this
    return Date.now() - this.lastSign > maxPollIntervalMs || this.fence.isStuck(maxPollIntervalMs)
  }

  batchStarted(key: PartitionKey): void {
    const delivery = this.fence.delivery(key)
    if (delivery) delivery.progressAt = Date.now()
  }

  batchEnded(key: PartitionKey): void {
    const delivery = this.fence.delivery(key)
    this.sign()
    if (!delivery) return
    // Its automatic commit begins just after.
    setImmediate(() => {
      this.fence.ended(delivery)
      this.batchesEnded()
    })
  }

  /** A fetcher begins its next fetch. */
  fetchBegins(node: string): void {
    const isDone = this.fetchers.begins(node)
    if (!this.fence.hasDeliveries) return
    this.fence.endedOn(isDone)
    this.batchesEnded()
  }

  /** Nothing of a former run of the consumer works any more. */
  startOver(): void {
    this.fence.endedOn(() => true)
    this.fetchers.clear()
  }
}
