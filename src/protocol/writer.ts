import type { TopicPartitions } from './types'

const utf8 = new TextEncoder()

/** Writes Kafka's primitives into one array of exactly the size that was computed before. */
export class Writer {
  readonly bytes: Uint8Array<ArrayBuffer>
  private readonly view: DataView
  private offset = 0

  constructor(size: number) {
    this.bytes = new Uint8Array(size)
    this.view = new DataView(this.bytes.buffer)
  }

  int16(value: number): void {
    this.view.setInt16(this.offset, value)
    this.offset += 2
  }

  int32(value: number): void {
    this.view.setInt32(this.offset, value)
    this.offset += 4
  }

  string(value: string): void {
    const { bytes } = this
    const start = this.offset + 2
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i)
      if (unit >= 0x80) {
        const { written } = utf8.encodeInto(value, bytes.subarray(start))
        this.int16(written)
        this.offset += written
        return
      }
      bytes[start + i] = unit
    }
    this.int16(value.length)
    this.offset += value.length
  }

  nullableString(value: string | null): void {
    if (value === null) this.int16(-1)
    else this.string(value)
  }

  nullableBytes(value: Uint8Array | null): void {
    this.int32(value?.length ?? -1)
    if (!value) return
    this.bytes.set(value, this.offset)
    this.offset += value.length
  }

  strings(values: readonly string[]): void {
    this.int32(values.length)
    for (const value of values) this.string(value)
  }

  topicPartitions(list: readonly TopicPartitions[]): void {
    this.int32(list.length)
    for (const { topic, partitions } of list) {
      this.string(topic)
      this.int32(partitions.length)
      for (const partition of partitions) this.int32(partition)
    }
  }
}

export const sizeOfString = (value: string | null): number => 2 + (value === null ? 0 : utf8Length(value))

export const sizeOfBytes = (value: Uint8Array | null): number => 4 + (value?.length ?? 0)

export function sizeOfStrings(values: readonly string[]): number {
  let size = 4
  for (const value of values) size += sizeOfString(value)
  return size
}

export function sizeOfTopicPartitions(list: readonly TopicPartitions[]): number {
  let size = 4
  for (const { topic, partitions } of list) size += sizeOfString(topic) + 4 + 4 * partitions.length
  return size
}

/** Bytes that TextEncoder makes of it: a lone surrogate becomes U+FFFD, three bytes. */
export function utf8Length(value: string): number {
  let length = value.length
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i)
    if (unit < 0x80) continue
    // Both halves of a pair come by here: 4 bytes for 2 units.
    length += unit < 0x800 ? 1 : isPaired(value, i, unit) ? 1 : 2
  }
  return length
}

function isPaired(value: string, i: number, unit: number): boolean {
  if (unit >= 0xd800 && unit < 0xdc00) return (value.charCodeAt(i + 1) & 0xfc00) === 0xdc00
  return unit >= 0xdc00 && unit < 0xe000 && i > 0 && (value.charCodeAt(i - 1) & 0xfc00) === 0xd800
}
