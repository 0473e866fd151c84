import { canonicalPartitions, canonicalTopics, isWritable } from './canonical'
import { NameTable } from './names'
import { Reader } from './reader'
import type { Subscription, TopicPartitions } from './types'
import { sizeOfBytes, sizeOfString, sizeOfStrings, sizeOfTopicPartitions, write } from './writer'

export type ProtocolVersion = 0 | 1 | 2 | 3

/** A subscription to encode. Fields that the version does not have are left out of the bytes. */
export interface SubscriptionFields {
  /** 3 where absent, as Java since 3.4. */
  readonly version?: ProtocolVersion
  readonly topics: readonly string[]
  readonly userData?: Uint8Array | null
  readonly ownedPartitions?: readonly TopicPartitions[]
  readonly generationId?: number | null
  readonly rackId?: string | null
}

/**
 * Reads a member's subscription (ConsumerProtocolSubscription, versions 0 to 3; later ones as their version 3 prefix).
 * Never throws: bytes that are damaged behind the topics keep the topics and lose what they say about owned
 * partitions; without an intact version and topics nothing is left. `problem` says what was wrong.
 *
 * `names` shares topic names among the members of one rebalance.
 */
export function decodeSubscription(bytes: Uint8Array | null | undefined, names = new NameTable()): Subscription {
  if (!bytes || bytes.length === 0) return unreadable(null, 'empty')
  const reader = new Reader(bytes, names)
  const version = reader.int16('version')
  if (reader.problem) return unreadable(null, 'truncated')
  if (version < 0) return unreadable(version, 'negative')

  const topics = reader.topics('topics')
  const userData = reader.nullableBytes('userData')
  const ownedPartitions = version >= 1 ? reader.topicPartitions('ownedPartitions') : []
  const generationId = version >= 2 ? reader.int32('generationId') : -1
  const rackId = version >= 3 ? reader.nullableString('rackId') : null
  const { problem } = reader
  if (problem) {
    return { version, topics, userData, ownedPartitions: [], generationId: null, rackId: null, trailing: 0, problem }
  }
  return {
    version,
    topics,
    userData,
    ownedPartitions,
    generationId: generationId < 0 ? null : generationId,
    rackId,
    trailing: reader.remaining,
    problem,
  }
}

function unreadable(version: number | null, reason: 'empty' | 'truncated' | 'negative'): Subscription {
  return {
    version,
    topics: [],
    userData: null,
    ownedPartitions: [],
    generationId: null,
    rackId: null,
    trailing: 0,
    problem: { field: 'version', reason, offset: 0 },
  }
}

/** Writes a subscription in canonical form: equal content gives equal bytes. */
export function encodeSubscription(fields: SubscriptionFields): Uint8Array<ArrayBuffer> {
  const { topics, ownedPartitions = [], rackId = null } = fields
  return writeSubscription({
    ...fields,
    topics: canonicalTopics(topics),
    ownedPartitions: canonicalPartitions(ownedPartitions),
    rackId: rackId && isWritable(rackId) ? rackId : null,
  })
}

/** Writes a subscription as it is given, order and repetitions kept. For canonical bytes use `encodeSubscription`. */
export function writeSubscription({
  version = 3,
  topics,
  userData = null,
  ownedPartitions = [],
  generationId = null,
  rackId = null,
}: SubscriptionFields): Uint8Array<ArrayBuffer> {
  const size =
    2 +
    sizeOfStrings(topics) +
    sizeOfBytes(userData) +
    (version >= 1 ? sizeOfTopicPartitions(ownedPartitions) : 0) +
    (version >= 2 ? 4 : 0) +
    (version >= 3 ? sizeOfString(rackId) : 0)
  return write(size, writer => {
    writer.int16(version)
    writer.strings(topics)
    writer.nullableBytes(userData)
    if (version >= 1) writer.topicPartitions(ownedPartitions)
    if (version >= 2) writer.int32(generationId ?? -1)
    if (version >= 3) writer.nullableString(rackId)
  })
}
