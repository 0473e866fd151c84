/**
 * Topic names of one rebalance, each decoded once. All members of a group name the same topics, mostly in the same
 * order: a name is first compared, as bytes, with the one that followed the last name before, then looked up by hash.
 *
 * Make one for a leader's round and drop it after: it grows with the distinct names it has seen.
 */
export class NameTable {
  private readonly names: string[] = []
  /** UTF-8 of all names, one after the other; name i is `pool[starts[i] .. starts[i + 1])`. */
  private pool = new Uint8Array(256)
  private starts = new Int32Array(17)
  /** The name that followed name i when it was read last; -1 where none did. */
  private followers = new Int32Array(16).fill(-1)
  /** Open addressing: name index + 1; 0 is free. At most half full. */
  private slots = new Int32Array(32)
  private last = -1
  private lastTopics: { bytes: Uint8Array; start: number; end: number; topics: readonly string[] } | null = null

  /** The name that `bytes[start .. end)` encodes. Invalid UTF-8 reads as U+FFFD, as in Java. */
  read(bytes: Uint8Array, start: number, end: number): string {
    const expected = this.last < 0 ? -1 : this.followers[this.last]!
    if (expected >= 0 && this.matches(expected, bytes, start, end)) {
      this.last = expected
      return this.names[expected]!
    }
    return this.lookUp(bytes, start, end)
  }

  /**
   * The topic list of the previous member, where the bytes at `start` repeat it: members of a uniform group then
   * share one array, and a reader can see at once that they subscribe the same.
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

  private matches(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[index]!
    const length = end - start
    if (this.starts[index + 1]! - from !== length) return false
    const pool = this.pool
    for (let i = 0; i < length; i++) if (pool[from + i] !== bytes[start + i]) return false
    return true
  }

  private lookUp(bytes: Uint8Array, start: number, end: number): string {
    const mask = this.slots.length - 1
    let slot = hash(bytes, start, end) & mask
    // Bounded, so that names made to collide cost no more than being decoded anew.
    for (let probes = 0; probes < maxProbes; probes++) {
      const index = this.slots[slot]! - 1
      if (index < 0) return this.add(bytes, start, end, slot)
      if (this.matches(index, bytes, start, end)) {
        this.follow(index)
        return this.names[index]!
      }
      slot = (slot + 1) & mask
    }
    return decodeName(bytes, start, end)
  }

  private follow(index: number): void {
    if (this.last >= 0) this.followers[this.last] = index
    this.last = index
  }

  private add(bytes: Uint8Array, start: number, end: number, slot: number): string {
    const index = this.names.length
    const name = decodeName(bytes, start, end)
    const from = this.starts[index]!
    const to = from + end - start
    if (to > this.pool.length) this.pool = grown(this.pool, Math.max(to, this.pool.length * 2))
    for (let i = start; i < end; i++) this.pool[from + i - start] = bytes[i]!
    this.names.push(name)
    this.starts[index + 1] = to
    this.slots[slot] = index + 1
    this.follow(index)
    if (this.names.length === this.followers.length) this.grow()
    return name
  }

  private grow(): void {
    const size = this.followers.length * 2
    const followers = new Int32Array(size).fill(-1)
    followers.set(this.followers)
    this.followers = followers
    const starts = new Int32Array(size + 1)
    starts.set(this.starts)
    this.starts = starts
    this.slots = new Int32Array(size * 2)
    const mask = this.slots.length - 1
    for (let index = 0; index < this.names.length; index++) {
      let slot = hash(this.pool, starts[index]!, starts[index + 1]!) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = index + 1
    }
  }
}

const maxProbes = 16

function grown(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size)
  larger.set(bytes)
  return larger
}

/** FNV-1a. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i]!, 0x01000193)
  return h ^ (h >>> 15)
}

// A byte order mark is part of a name, as it is in Java.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

function decodeName(bytes: Uint8Array, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, end))
}
