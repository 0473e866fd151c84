import type { Assignment, MemberClaims, Subscription } from '../protocol'

/** A group as the cluster tells it, at one moment. Plain data. */
export interface LiveGroup {
  readonly groupId: string
  /** `Stable` or `Empty`; else it is rebalancing, and members are told without subscription and assignment. */
  readonly state: string
  /** Name of the protocol that the members agreed on, ours or not; empty while there is none. */
  readonly protocol: string
  /** Ascending by id. */
  readonly members: readonly LiveMember[]
  /** Topics that somebody subscribes or is assigned; of an empty group those with committed offsets. Ascending. */
  readonly topics: readonly LiveTopic[]
  /** What could not be read, for people. */
  readonly notes: readonly string[]
}

export interface LiveMember {
  readonly memberId: string
  readonly clientId: string
  /** As the broker saw it, with a slash in front where it has no name. */
  readonly host: string
  /** What the member sent in its last JoinGroup, as bytes and as read. */
  readonly metadata: Uint8Array
  readonly subscription: Subscription
  readonly claims: MemberClaims
  /** What it was given last. */
  readonly assignment: Assignment
}

export interface LiveTopic {
  readonly topic: string
  /** 0 if the topic does not exist. */
  readonly partitions: number
  /** Why the cluster did not tell the partition count; `partitions` is then the least that the assignments imply. */
  readonly problem: string | null
  /** One entry a partition; null where offsets could not be read. */
  readonly offsets: readonly PartitionOffsets[] | null
}

export interface PartitionOffsets {
  /** The next record to read, or null if the group has committed nothing. */
  readonly committed: number | null
  /** The offset behind the last record. */
  readonly end: number
}
