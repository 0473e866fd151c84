import { encodeStickyUserData, encodeSubscription, type TopicPartitions } from '../protocol'
import type { MemberState } from './member-state'

/** Where an eager member's claims go. */
export type ClaimsIn =
  /** Nowhere: range and roundrobin have no memory. */
  | 'nothing'
  /** Into userData of sticky's layout. */
  | 'userData'

/**
 * The bytes that one assigner sends in JoinGroup, as Java's eager assignors write them: subscription v3, ownedPartitions
 * empty because an eager member holds nothing while it joins, the generation of the last successful SyncGroup.
 *
 * A broker starts a rebalance when a follower rejoins with other bytes than before, and kafkajs rejoins whenever the
 * leader of a partition moves. So the bytes change only when the group has to be joined anew, or when the topics
 * change; otherwise the last ones are repeated to the letter.
 */
export class SubscriptionBytes {
  private last: { topicsKey: string; bytes: Buffer } | null = null

  constructor(
    private readonly state: MemberState,
    private readonly claimsIn: ClaimsIn,
    /** Partition count of a topic as far as it is known, else 0. */
    private readonly knownPartitions: (topic: string) => number,
  ) {}

  next(topics: readonly string[], rackId: string | null): Buffer {
    const topicsKey = [...topics].sort().join('\n')
    if (this.last?.topicsKey === topicsKey && !this.state.signal) return this.last.bytes
    const bytes = this.encode(topics, rackId)
    this.last = { topicsKey, bytes }
    return bytes
  }

  private encode(topics: readonly string[], rackId: string | null): Buffer {
    const generationId = this.state.membership?.generation ?? null
    const userData =
      this.claimsIn === 'userData' && this.state.membership
        ? encodeStickyUserData(this.state.claims(topics).map(this.withinTopic), generationId)
        : null
    const bytes = encodeSubscription({ topics, userData, generationId, rackId })
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** A claim beyond the partition count makes Java's leaders throw (the topic was deleted and made anew, smaller). */
  private readonly withinTopic = (claim: TopicPartitions): TopicPartitions => {
    const count = this.knownPartitions(claim.topic)
    return count === 0 ? claim : { ...claim, partitions: claim.partitions.filter(partition => partition < count) }
  }
}
