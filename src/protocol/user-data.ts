import { canonicalPartitions } from './canonical'
import { NameTable } from './names'
import { Reader } from './reader'
import type { Problem, TopicPartitions } from './types'
import { sizeOfTopicPartitions, write } from './writer'

/**
 * Layouts of the userData under `sticky`: `v1` (Java 2.3 and up) ends with the generation, `v0` has none,
 * `kafka-python` is v1 behind an int16 version.
 */
export type StickyLayout = 'v1' | 'v0' | 'kafka-python'

/** Claims in userData of the sticky assignor. */
export interface StickyUserData {
  /** Null: no userData, or none that can be read. */
  readonly layout: StickyLayout | null
  readonly partitions: readonly TopicPartitions[]
  /** Generation of the claims; null where absent or negative. */
  readonly generation: number | null
  readonly trailing: number
  readonly problem: Problem | null
}

const noClaims: StickyUserData = { layout: null, partitions: [], generation: null, trailing: 0, problem: null }

/**
 * Reads sticky userData as Java does: v1, else v0, trailing bytes ignored; then kafka-python's layout, which has to end
 * with the bytes. Null and zero-length say that nothing is claimed. Never throws.
 */
export function decodeStickyUserData(bytes: Uint8Array | null | undefined, names = new NameTable()): StickyUserData {
  if (!bytes || bytes.length === 0) return noClaims
  const reader = new Reader(bytes, names)
  const partitions = reader.topicPartitions('userData.partitions')
  if (!reader.problem) {
    if (reader.remaining < 4) return { ...noClaims, layout: 'v0', partitions, trailing: reader.remaining }
    const generation = absentIfNegative(reader.int32('userData.generation'))
    return { layout: 'v1', partitions, generation, trailing: reader.remaining, problem: null }
  }
  return (
    decodeKafkaPython(bytes, names) ?? {
      ...noClaims,
      problem: { field: 'userData', reason: 'unknown-layout', offset: 0 },
    }
  )
}

function decodeKafkaPython(bytes: Uint8Array, names: NameTable): StickyUserData | null {
  const reader = new Reader(bytes, names)
  if (reader.int16('userData.version') !== 1) return null
  const partitions = reader.topicPartitions('userData.partitions')
  const generation = absentIfNegative(reader.int32('userData.generation'))
  if (reader.problem || reader.remaining > 0) return null
  return { layout: 'kafka-python', partitions, generation, trailing: 0, problem: null }
}

/** Writes sticky userData v1 in canonical form. A generation that is null is written as -1: unknown. */
export function encodeStickyUserData(
  partitions: readonly TopicPartitions[],
  generation: number | null,
): Uint8Array<ArrayBuffer> {
  return writeStickyUserData(canonicalPartitions(partitions), generation)
}

/** Writes sticky userData as it is given, in any layout. For canonical bytes use `encodeStickyUserData`. */
export function writeStickyUserData(
  partitions: readonly TopicPartitions[],
  generation: number | null,
  layout: StickyLayout = 'v1',
): Uint8Array<ArrayBuffer> {
  const before = layout === 'kafka-python' ? 2 : 0
  const after = layout === 'v0' ? 0 : 4
  return write(before + sizeOfTopicPartitions(partitions) + after, writer => {
    if (before) writer.int16(1)
    writer.topicPartitions(partitions)
    if (after) writer.int32(generation ?? -1)
  })
}

/**
 * Reads the userData of Java's cooperative-sticky: the generation of the last assignment. Null where it is negative,
 * or where there are not exactly 4 bytes.
 */
export function decodeCooperativeUserData(bytes: Uint8Array | null | undefined): number | null {
  if (bytes?.length !== 4) return null
  return absentIfNegative(new Reader(bytes, new NameTable()).int32('userData.generation'))
}

/** Writes the userData of cooperative-sticky. Null, before the first assignment, is -1. */
export function encodeCooperativeUserData(generation: number | null): Uint8Array<ArrayBuffer> {
  return write(4, writer => writer.int32(generation ?? -1))
}

function absentIfNegative(generation: number): number | null {
  return generation < 0 ? null : generation
}
