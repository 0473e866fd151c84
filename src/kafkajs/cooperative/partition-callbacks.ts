import { partitionsByTopic } from '../../report/topics'
import type { ConsumerSession } from '../consumer-session'
import type { Ownership } from './fence'
import { listOf } from './partition-key'

type CallbackName = 'onPartitionsAssigned' | 'onPartitionsRevoked' | 'onPartitionsLost'

/** Runs the user's callbacks one after the other, so that those of one partition never overlap. */
export class PartitionCallbacks {
  private last: Promise<void> = Promise.resolve()
  private spent = { revoke: 0, assign: 0 }

  constructor(
    private readonly session: ConsumerSession,
    private readonly memberId: () => string,
    private readonly boundMs: () => number,
  ) {}

  has(name: CallbackName): boolean {
    return this.session.options[name] !== undefined
  }

  /** Resolves when the callback has run, or has taken too long. Never rejects. */
  run(name: CallbackName, ownerships: readonly Ownership[], generation: number): Promise<void> {
    if (!this.has(name) || ownerships.length === 0) return Promise.resolve()
    const { session } = this
    const event = {
      groupId: session.groupId,
      memberId: this.memberId(),
      generation,
      partitions: partitionsByTopic(listOf(ownerships.map(({ key }) => key))),
    }
    this.last = this.last.then(async () => {
      const ms = await session.callbacks.run(name, session.options[name], event, this.boundMs())
      if (name === 'onPartitionsAssigned') this.spent.assign += ms
      else this.spent.revoke += ms
    })
    return this.last
  }

  /** Waits for those that were asked for so far. */
  idle(): Promise<void> {
    return this.last
  }

  /** Milliseconds spent since the last call. */
  takeSpent(): { revoke: number; assign: number } {
    const { spent } = this
    this.spent = { revoke: 0, assign: 0 }
    return spent
  }
}
