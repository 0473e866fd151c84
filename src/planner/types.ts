/** The planner's vocabulary: plain data in, plain data out. No bytes, no kafkajs. */

/** Strategies under the names that Kafka's brokers know, and Kafka's own sticky algorithm to compare with. */
export type Strategy = 'sticky' | 'cooperative-sticky' | 'range' | 'roundrobin' | 'kafka-sticky'

/** Partitions of one topic. */
export interface TopicPartitions {
  readonly topic: string
  readonly partitions: readonly number[]
}

/**
 * Partitions by topic, as an object (JSON requests) or as a list (a live group). The list may name a topic more than
 * once. Nothing in it is trusted: unknown topics, foreign topics and ids that are no partitions are dropped and counted.
 */
export type Claims = Readonly<Record<string, readonly number[]>> | readonly TopicPartitions[]

/** A topic's partition count, or one list of replica racks (KIP-881) for each partition. */
export type TopicSpec = number | readonly (readonly (string | null)[])[]

/** A member of the group as the leader sees it. */
export interface PlanMember {
  readonly memberId: string
  /** Topics of the member's own subscription. Duplicates count once. */
  readonly topics: readonly string[]
  /** What the member says it owns. */
  readonly owned?: Claims | undefined
  /**
   * What the member has let go but had last (claims of an eager member). Counts for ownership like `owned`, and is
   * never a reason to withhold a partition.
   */
  readonly released?: Claims | undefined
  /** Generation in which the claims were assigned. Null, absent or negative: older than any other (KIP-792). */
  readonly generation?: number | null | undefined
  /** `group.instance.id` of a static member (KIP-345): orders members first in range and roundrobin. */
  readonly instanceId?: string | null | undefined
  /** `client.rack` (KIP-881). Null and empty mean none. */
  readonly rackId?: string | null | undefined
}

/** A group as its leader sees it before it plans. */
export interface PlanRequest {
  readonly strategy: Strategy
  readonly topics: Readonly<Record<string, TopicSpec>>
  readonly members: readonly PlanMember[]
}

/** Why a claim was not believed. */
export type RejectedClaimReason =
  /** The topic has no partitions in this request. */
  | 'unknown-topic'
  /** Not an integer, or not a partition of the topic. */
  | 'invalid-partition'
  /** A topic that the member does not subscribe. */
  | 'not-subscribed'
  /** Another member claims the partition with a higher generation. */
  | 'older-generation'
  /** Several members claim the partition in the same, highest generation: nobody is believed (KAFKA-12984). */
  | 'same-generation'

/** Claims of one member on one topic that were rejected for one reason. */
export interface RejectedClaims {
  readonly memberId: string
  readonly topic: string
  readonly reason: RejectedClaimReason
  readonly count: number
  /** The first few partition ids, as they were claimed. */
  readonly examples: readonly unknown[]
}

/** What one member has after the plan, in numbers of partitions. */
export interface MemberChange {
  readonly memberId: string
  readonly assigned: number
  /** Believed claims that stay. */
  readonly kept: number
  /** Assigned without having been owned. */
  readonly gained: number
  /** Believed claims that go to others (or, in a cooperative round, are withheld for others). */
  readonly lost: number
}

/** What a plan does to the group. `kept + moved` = assigned partitions; `moved` = `transferred + unclaimed`. */
export interface PlanReport {
  readonly strategy: Strategy
  readonly members: number
  /** Partitions of topics with at least one subscriber: those assigned and those withheld. */
  readonly partitions: number
  readonly kept: number
  readonly moved: number
  /** Moved away from a believed owner that is still in the group. */
  readonly transferred: number
  /** Moved without a believed owner: it left, or the partition is new. */
  readonly unclaimed: number
  /** Planned, but given to nobody until another member has given them up (KIP-429). */
  readonly withheld: number
  /** Least `moved + withheld` of any plan of this balance (and these rack mismatches). */
  readonly minimumMoves: number
  /** Fewest and most partitions of a member that subscribes something, what is withheld counted for its intended owner. */
  readonly balance: { readonly min: number; readonly max: number }
  /** The same of what was owned before, as far as it is believed; a member that is new owned nothing. */
  readonly balanceBefore: { readonly min: number; readonly max: number }
  /** Sum over topics and members of squared per-topic counts. `proven`: no plan as good in all else has a lower one. */
  readonly spread: { readonly sumOfSquares: number; readonly proven: boolean }
  /** Partitions whose owner is in none of their replicas' racks, where racks matter. */
  readonly rackMismatches: number
  readonly rejectedClaims: readonly RejectedClaims[]
  /** Subscribed topics that have no partitions in the request; nothing of them is planned. */
  readonly missingTopics: readonly string[]
  /** One entry a member, ascending by member id. */
  readonly changes: readonly MemberChange[]
}

/** The whole answer. Names and lists ascend (UTF-16 code units, as Kafka compares strings). */
export interface Plan {
  readonly report: PlanReport
  /** Member ids, ascending; every member of the request is there. */
  readonly memberIds: readonly string[]
  /** What the leader sends to this member in this round, topics without a partition left out. */
  assignment(memberId: string): TopicPartitions[]
  /** What this member must wait for (cooperative-sticky only; otherwise empty). */
  withheld(memberId: string): TopicPartitions[]
  /** Believed claims that the member does not keep. */
  revoked(memberId: string): TopicPartitions[]
  /** For each moved or withheld partition one line that says why; computed when asked. */
  reasons(): string[]
}
