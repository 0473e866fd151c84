import type { NameTable } from './names'
import type { Problem, ProblemReason, TopicPartitions } from './types'

const noPartitions: readonly number[] = Object.freeze([])

/**
 * Reads Kafka's primitives (big-endian; string = int16 length + UTF-8; bytes = int32 length; array = int32 count).
 *
 * Total: the first fault is kept in `problem`, and from then on every read gives 0, '', null or an empty list without
 * moving. Counts and lengths are held against the bytes that are left before anything is allocated.
 */
export class Reader {
  problem: Problem | null = null
  private offset = 0

  constructor(
    private readonly bytes: Uint8Array,
    private readonly names: NameTable,
  ) {}

  get remaining(): number {
    return this.bytes.length - this.offset
  }

  fail(field: string, reason: ProblemReason, offset: number): void {
    this.problem ??= { field, reason, offset }
  }

  int16(field: string): number {
    const at = this.offset
    if (this.problem) return 0
    if (this.bytes.length - at < 2) {
      this.fail(field, 'truncated', at)
      return 0
    }
    this.offset = at + 2
    return ((this.bytes[at]! << 24) | (this.bytes[at + 1]! << 16)) >> 16
  }

  int32(field: string): number {
    const at = this.offset
    if (this.problem) return 0
    if (this.bytes.length - at < 4) {
      this.fail(field, 'truncated', at)
      return 0
    }
    this.offset = at + 4
    return int32At(this.bytes, at)
  }

  string(field: string): string {
    const at = this.offset
    const value = this.nullableString(field)
    if (value === null) this.fail(field, 'null', at)
    return value ?? ''
  }

  nullableString(field: string): string | null {
    const at = this.offset
    const announced = this.int16(field)
    if (this.problem || announced === -1) return null
    const length = this.length(field, announced, at)
    this.offset += length
    return this.problem ? null : this.names.read(this.bytes, at + 2, at + 2 + length)
  }

  /** A view, not a copy. */
  nullableBytes(field: string): Uint8Array | null {
    const at = this.offset
    const announced = this.int32(field)
    if (this.problem || announced === -1) return null
    const length = this.length(field, announced, at)
    this.offset += length
    return this.problem ? null : this.bytes.subarray(at + 4, at + 4 + length)
  }

  topics(field: string): readonly string[] {
    const start = this.offset
    const repeated = this.problem ? null : this.names.repeatedTopics(this.bytes, start)
    if (repeated) {
      this.offset = repeated.end
      return repeated.topics
    }
    const count = this.count(field, 2)
    const topics: string[] = []
    for (let i = 0; i < count; i++) {
      topics.push(this.string(field))
      if (this.problem) return []
    }
    if (this.problem) return []
    this.names.rememberTopics(this.bytes, start, this.offset, topics)
    return topics
  }

  topicPartitions(field: string): TopicPartitions[] {
    const count = this.count(field, 6)
    const list = new Array<TopicPartitions>(count)
    for (let i = 0; i < count; i++) {
      const topic = this.string(field)
      const partitions = this.int32s(this.count(field, 4))
      if (this.problem) return []
      list[i] = { topic, partitions }
    }
    return list
  }

  /** Number of items of an array whose items take at least `itemSize` bytes each. */
  private count(field: string, itemSize: number): number {
    const at = this.offset
    const count = this.int32(field)
    if (this.problem) return 0
    if (count >= 0 && count <= this.remaining / itemSize) return count
    this.fail(field, count === -1 ? 'null' : refusal(count), at)
    return 0
  }

  private length(field: string, length: number, at: number): number {
    if (length >= 0 && length <= this.remaining) return length
    this.fail(field, refusal(length), at)
    return 0
  }

  /** `count` was held against the bytes left. */
  private int32s(count: number): readonly number[] {
    if (count === 0) return noPartitions
    const { bytes } = this
    if (count === 1) {
      const value = int32At(bytes, this.offset)
      this.offset += 4
      return this.names.single(value)
    }
    const values = new Array<number>(count)
    const end = this.offset + 4 * count
    for (let i = 0, at = this.offset; at < end; i++, at += 4) values[i] = int32At(bytes, at)
    this.offset = end
    return values
  }
}

function refusal(length: number): ProblemReason {
  return length < 0 ? 'negative' : 'oversized'
}

function int32At(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
}
