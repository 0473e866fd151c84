import { canonicalPartitions } from './canonical'
import { NameTable } from './names'
import { Reader } from './reader'
import type { ProtocolVersion } from './subscription'
import type { Assignment, Problem, TopicPartitions } from './types'
import { sizeOfBytes, sizeOfTopicPartitions, write } from './writer'

/** An assignment to encode. */
export interface AssignmentFields {
  /** 3 where absent: a leader writes its own highest version, whatever its members sent. */
  readonly version?: ProtocolVersion
  readonly partitions: readonly TopicPartitions[]
  readonly userData?: Uint8Array | null
}

/**
 * Reads what a member was assigned (ConsumerProtocolAssignment: one layout for all versions). Never throws: a list of
 * partitions that is not intact is empty. Entries that name one topic are merged.
 */
export function decodeAssignment(bytes: Uint8Array | null | undefined, names = new NameTable()): Assignment {
  if (!bytes || bytes.length === 0) return unreadable(null, { field: 'version', reason: 'empty', offset: 0 })
  const reader = new Reader(bytes, names)
  const version = reader.int16('version')
  if (reader.problem) return unreadable(null, reader.problem)
  if (version < 0) return unreadable(version, { field: 'version', reason: 'negative', offset: 0 })

  const asSent = reader.topicPartitions('partitions')
  const userData = reader.nullableBytes('userData')
  const trailing = reader.problem ? 0 : reader.remaining
  if (asSent.some(({ partitions }) => partitions.some(partition => partition < 0))) {
    reader.fail('partitions', 'negative-partition', 2)
  }
  return { version, partitions: canonicalPartitions(asSent), asSent, userData, trailing, problem: reader.problem }
}

function unreadable(version: number | null, problem: Problem): Assignment {
  return { version, partitions: [], asSent: [], userData: null, trailing: 0, problem }
}

/** Writes an assignment in canonical form: equal content gives equal bytes. */
export function encodeAssignment(fields: AssignmentFields): Uint8Array<ArrayBuffer> {
  return writeAssignment({ ...fields, partitions: canonicalPartitions(fields.partitions) })
}

/** Writes an assignment as it is given, order and repetitions kept. For canonical bytes use `encodeAssignment`. */
export function writeAssignment({
  version = 3,
  partitions,
  userData = null,
}: AssignmentFields): Uint8Array<ArrayBuffer> {
  return write(2 + sizeOfTopicPartitions(partitions) + sizeOfBytes(userData), writer => {
    writer.int16(version)
    writer.topicPartitions(partitions)
    writer.nullableBytes(userData)
  })
}
