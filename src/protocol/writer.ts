import type { TopicPartitions } from './types'

const utf8 = new TextEncoder()

/**
 * Runs `fill` into one array of exactly the size that it fills. `size` holds where all strings are ASCII, as topic
 * names are; other strings are counted on the way, and written in a second run.
 */
export function write(size: number, fill: (writer: Writer) => void): Uint8Array<ArrayBuffer> {
  const writer = new Writer(size, true)
  fill(writer)
  if (writer.excess === 0) return writer.bytes
  const again = new Writer(size + writer.excess, false)
  fill(again)
  return again.bytes
}

/** Writes Kafka's primitives. */
export class Writer {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Bytes by which strings are longer than their number of UTF-16 units. */
  excess = 0
  private readonly view: DataView
  private offset = 0

  constructor(
    size: number,
    private readonly asciiOnly: boolean,
  ) {
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
    let length = value.length
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i)
      bytes[start + i] = unit
      if (unit < 0x80) continue
      if (this.asciiOnly) this.excess += utf8Length(value) - length
      else length = utf8.encodeInto(value, bytes.subarray(start)).written
      break
    }
    this.int16(length)
    this.offset += length
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
      for (let i = 0; i < partitions.length; i++) this.int32(partitions[i]!)
    }
  }
}

export const sizeOfString = (value: string | null): number => 2 + (value?.length ?? 0)

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
  let length = 0
  for (const character of value) {
    const code = character.codePointAt(0)!
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return length
}
