import type { KafkaGroup } from './group'
import { TopicPartitionHashSet } from './java-hash'

/**
 * Kafka's memory of what it has moved while it balances: before it moves a partition from one member to another, it
 * looks for one of the same topic that went the other way, and moves that one back instead.
 */
export class Movements {
  /** Where each moved partition came from and is now. */
  private readonly moved = new Map<number, { from: number; to: number }>()
  /** The same by topic and pair of members. */
  private readonly byPair = new Map<string, TopicPartitionHashSet>()

  constructor(
    private readonly group: KafkaGroup,
    private readonly topicOf: Int32Array,
  ) {}

  /** The partition to move to `to` in place of `p`. */
  substitute(p: number, holder: number, to: number): number {
    const from = this.moved.get(p)?.from ?? holder
    const back = this.byPair.get(this.pairKey(p, to, from))
    return back ? this.firstOf(p) + back.first() : p
  }

  record(p: number, from: number, to: number): void {
    const before = this.moved.get(p)
    if (before) this.forget(p, before)
    const origin = before ? before.from : from
    if (before && origin === to) return
    this.moved.set(p, { from: origin, to })
    const key = this.pairKey(p, origin, to)
    let set = this.byPair.get(key)
    if (!set) this.byPair.set(key, (set = new TopicPartitionHashSet(this.group.topics[this.topicOf[p]!]!)))
    set.add(p - this.firstOf(p))
  }

  private forget(p: number, { from, to }: { from: number; to: number }): void {
    this.moved.delete(p)
    const key = this.pairKey(p, from, to)
    const set = this.byPair.get(key)!
    set.delete(p - this.firstOf(p))
    if (set.empty) this.byPair.delete(key)
  }

  private firstOf(p: number): number {
    return this.group.start[this.topicOf[p]!]!
  }

  private pairKey(p: number, from: number, to: number): string {
    return `${this.topicOf[p]} ${from} ${to}`
  }
}
