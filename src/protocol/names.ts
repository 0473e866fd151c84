/**
 * What the members of one rebalance say alike, decoded once: topic names, whole topic lists, lists of one partition.
 * A leader of thousands of members decodes millions of names of which a few hundred differ.
 *
 * Make one for a leader's round and drop it afterwards: it grows with what it has seen, and holds on to the bytes of
 * the last member. The values that it gives out are shared: never change them.
 */
export class NameTable {
  private readonly names: string[] = []
  /** UTF-8 of all names, one after the other: name i is `pool[starts[i] .. starts[i + 1])`. */
  private pool = new Uint8Array(256)
  private starts = new Int32Array(17)
  /** The name that followed name i when it was read last; -1 where none did. */
  private followers = new Int32Array(16).fill(-1)
  /** Open addressing: name index + 1, and 0 where free. At most half full. */
  private slots = new Int32Array(32)
  private last = -1
  private lastTopics: { bytes: Uint8Array; start: number; end: number; topics: readonly string[] } | null = null
  private readonly singles = new Map<number, readonly number[]>()

  /** The name that `bytes[start .. end)` encodes. Invalid UTF-8 reads as U+FFFD, as in Java. */
  read(bytes: Uint8Array, start: number, end: number): string {
    // Members mostly name the topics in one order: the bytes are compared with the name that came next before.
    const expected = this.last < 0 ? -1 : this.followers[this.last]!
    if (expected < 0 || !this.matches(expected, bytes, start, end)) return this.lookUp(bytes, start, end)
    this.last = expected
    return this.names[expected]!
  }

  /**
   * The topic list read last, where the bytes at `start` repeat it. Members of a uniform group so share one array, and
   * a reader can tell by identity that they subscribe the same.
   */
  repeatedTopics(bytes: Uint8Array, start: number): { topics: readonly string[]; end: number } | null {
    const last = this.lastTopics
    if (!last) return null
    const length = last.end - last.start
    if (length > bytes.length - start) return null
    for (let i = 0; i < length; i++) if (bytes[start + i] !== last.bytes[last.start + i]) return null
    return { topics: last.topics, end: start + length }
  }

  rememberTopics(bytes: Uint8Array, start: number, end: number, topics: readonly string[]): void {
    this.lastTopics = { bytes, start, end, topics }
  }

  /** `[partition]`: in large groups most lists are of this kind, and they would take half of the memory. */
  single(partition: number): readonly number[] {
    const known = this.singles.get(partition)
    if (known) return known
    const list = [partition]
    if (this.singles.size < maxSingles) this.singles.set(partition, list)
    return list
  }

  private matches(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[index]!
    const length = end - start
    if (this.starts[index + 1]! - from !== length) return false
    const { pool } = this
    for (let i = 0; i < length; i++) if (pool[from + i] !== bytes[start + i]) return false
    return true
  }

  private lookUp(bytes: Uint8Array, start: number, end: number): string {
    const mask = this.slots.length - 1
    let slot = hash(bytes, start, end) & mask
    for (let probes = 0; probes < maxProbes; probes++) {
      const index = this.slots[slot]! - 1
      if (index < 0) return this.add(bytes, start, end, slot)
      if (this.matches(index, bytes, start, end)) return this.follow(index)
      slot = (slot + 1) & mask
    }
    return decodeName(bytes, start, end)
  }

  private follow(index: number): string {
    if (this.last >= 0) this.followers[this.last] = index
    this.last = index
    return this.names[index]!
  }

  private add(bytes: Uint8Array, start: number, end: number, slot: number): string {
    const index = this.names.length
    if (index === this.followers.length) {
      this.grow()
      return this.lookUp(bytes, start, end)
    }
    const from = this.starts[index]!
    const to = from + end - start
    if (to > this.pool.length) this.pool = copied(this.pool, new Uint8Array(2 * to))
    for (let i = start; i < end; i++) this.pool[from + i - start] = bytes[i]!
    this.names.push(decodeName(bytes, start, end))
    this.starts[index + 1] = to
    this.slots[slot] = index + 1
    return this.follow(index)
  }

  private grow(): void {
    const size = this.followers.length * 2
    this.followers = copied(this.followers, new Int32Array(size).fill(-1))
    this.starts = copied(this.starts, new Int32Array(size + 1))
    this.slots = new Int32Array(size * 2)
    const mask = this.slots.length - 1
    for (let index = 0; index < this.names.length; index++) {
      let slot = hash(this.pool, this.starts[index]!, this.starts[index + 1]!) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = index + 1
    }
  }
}

/** Names that collide more often are decoded anew each time: names made to collide cannot make a leader slow. */
const maxProbes = 16
const maxSingles = 0x4000

function copied<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from)
  return to
}

/** FNV-1a, its upper half folded into the lower. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i]!, 0x01000193)
  return h ^ (h >>> 15)
}

// A byte order mark is part of a name, as it is in Java.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

function decodeName(bytes: Uint8Array, start: number, end: number): string {
  // Kafka allows names of 249 characters, all ASCII: they need neither a view of the bytes nor a decoder.
  if (end - start > 256) return utf8.decode(bytes.subarray(start, end))
  const units = new Array<number>(end - start)
  for (let i = start; i < end; i++) {
    const unit = bytes[i]!
    if (unit >= 0x80) return utf8.decode(bytes.subarray(start, end))
    units[i - start] = unit
  }
  return String.fromCharCode(...units)
}
