/** What the bytes of the consumer protocol say. Plain values; nothing here knows a strategy, a broker or kafkajs. */

/** Partitions of one topic. */
export interface TopicPartitions {
  readonly topic: string
  readonly partitions: readonly number[]
}

/** Why a field could not be read. */
export type ProblemReason =
  /** No bytes at all. */
  | 'empty'
  /** The bytes end inside a field of fixed size: also a version 1 to 3 written over the body of a lower one. */
  | 'truncated'
  /** A count or a length that is larger than the bytes that are left. */
  | 'oversized'
  /** A negative version, count or length. */
  | 'negative'
  /** Null (-1) where the schema allows none. */
  | 'null'
  /** None of the layouts that this field is known to have. */
  | 'unknown-layout'
  /** A negative partition id in an assignment; the other partitions were read. */
  | 'negative-partition'

/** The first thing that is wrong with some bytes. */
export interface Problem {
  /** Name of the field in Kafka's schema, or `userData` with the name inside it: `userData.partitions`. */
  readonly field: string
  readonly reason: ProblemReason
  /** Where the field at fault starts, in bytes from the start of what was decoded. */
  readonly offset: number
}

/** ConsumerProtocolSubscription: what a member sends in JoinGroup. Lists are in the order of the bytes. */
export interface Subscription {
  /** As sent; one above 3 was read as 3 (KIP-792: later versions only append). Null where there was none. */
  readonly version: number | null
  /** Empty where (version, topics) is not intact. */
  readonly topics: readonly string[]
  /** A view of the decoded bytes. Null and zero-length are kept apart. */
  readonly userData: Uint8Array | null
  /** Version 1 and up (KIP-429). Empty where anything behind the topics is not intact. */
  readonly ownedPartitions: readonly TopicPartitions[]
  /** Version 2 and up (KIP-792). Null where absent, negative or not intact. */
  readonly generationId: number | null
  /** Version 3 and up (KIP-881). As sent: librdkafka writes '' for none. */
  readonly rackId: string | null
  /** Bytes behind the last known field: tolerated. */
  readonly trailing: number
  readonly problem: Problem | null
}

/** ConsumerProtocolAssignment: what a member is given in SyncGroup. */
export interface Assignment {
  /** As sent; all known versions have one layout. Null where there was none. */
  readonly version: number | null
  /** One entry a topic, ascending. Empty where the list is not intact. */
  readonly partitions: readonly TopicPartitions[]
  /** The same as sent: in the leader's order, and a topic may be named twice (librdkafka does so). */
  readonly asSent: readonly TopicPartitions[]
  /** A view of the decoded bytes; no client gives it a meaning. */
  readonly userData: Uint8Array | null
  readonly trailing: number
  readonly problem: Problem | null
}

/** A problem in words, for logs. */
export function describeProblem({ field, reason, offset }: Problem): string {
  return `${field} at byte ${offset}: ${inWords[reason]}`
}

const inWords: Record<ProblemReason, string> = {
  empty: 'there are no bytes',
  truncated: 'the bytes end before the field does',
  oversized: 'its count or length is larger than the bytes left',
  negative: 'its version, count or length is negative',
  null: 'it is null',
  'unknown-layout': 'its layout is not known',
  'negative-partition': 'a partition id is negative',
}
