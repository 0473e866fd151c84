import { ClaimLists, isList } from './claim-lists'
import { type Group, partitionCount } from './group'
import { PartitionSet } from './partition-set'
import { partitionsOf } from './read-group'
import { Rejections } from './rejections'
import type { Claims, PlanMember, PlanRequest } from './types'

/**
 * Reads the claims of a group, entry by entry in the order of the members. What is no claim of a subscribed partition is
 * rejected here; whose claim is believed where several claim the same partition is settled in claims.ts.
 */
export class ClaimReader {
  /** The valid claims of entry i, ascending and each once: ids[start[i]] .. ids[start[i + 1] - 1]. */
  ids: Int32Array
  readonly start: Int32Array
  readonly rejections = new Rejections()
  /** Partitions that are claimed validly. */
  readonly claimed: PartitionSet
  /** Those that a member claims validly and holds; the same set as `claimed` if no claims are released. */
  readonly held: PartitionSet
  /** Held claims on topics that the member does not subscribe, as partition and member. */
  readonly foreignHeld: [number, number][] = []
  /** True if some partition may be claimed more than once. */
  contested = false

  /** By entry that has both held and released claims: the held ones. */
  private readonly heldIn = new Map<number, Set<number>>()
  private readonly lists: ClaimLists
  private entries = 0
  private size = 0
  private member = 0
  private last = -1
  private ordered = true

  constructor(
    private readonly request: PlanRequest,
    private readonly group: Group,
    private readonly list: readonly PlanMember[],
  ) {
    const partitions = partitionCount(group)
    this.ids = new Int32Array(partitions)
    this.start = new Int32Array(list.length + 1)
    this.claimed = new PartitionSet(partitions)
    this.held = list.some(entry => entry.released) ? new PartitionSet(partitions) : this.claimed
    this.lists = new ClaimLists(group)
  }

  /** Reads what a member claims; returns the steps it took. */
  read(member: number, entry: PlanMember): number {
    const first = this.size
    this.member = member
    this.last = -1
    this.ordered = true
    this.rejections.startEntry()
    let lists = this.readForm(entry.owned, true)
    if (entry.released) {
      if (this.size > first) this.heldIn.set(this.entries, new Set(this.ids.subarray(first, this.size)))
      lists += this.readForm(entry.released, false)
    }
    if (!this.ordered) this.sortFrom(first)
    this.start[++this.entries] = this.size
    return lists + this.size - first + 1
  }

  /** True if a valid claim of entry i is held. */
  isHeld(i: number, partition: number): boolean {
    const entry = this.list[i]!
    return entry.released ? (this.heldIn.get(i)?.has(partition) ?? false) : true
  }

  /** Returns the number of lists. */
  private readForm(claims: Claims | undefined, held: boolean): number {
    const { lists, group } = this
    const total = lists.gather(claims, group.subscriptions[group.subscriptionOf[this.member]!]!)
    if (this.size + total > this.ids.length) this.grow(total)
    const simple = this.held === this.claimed || !held
    for (let i = 0; i < lists.count; i++) {
      if (simple) i = this.readSimple(i)
      if (i < lists.count) this.readList(lists.topics[i]!, lists.lists[i], held)
    }
    for (const [name, list] of lists.foreign) this.readForeign(name, list, held)
    return lists.count + lists.foreign.length
  }

  /** Reads lists from the i-th on as long as there is nothing odd about them; returns where it had to stop. */
  private readSimple(from: number): number {
    const { lists, topics, sizes, count } = this.lists
    const { topicStart } = this.group
    for (let i = this.readSingles(from); i < count; i = this.readSingles(i + 1)) {
      const t = topics[i]!
      if (sizes[i] !== 0 && !this.readArray(lists[i], topicStart[t]!, topicStart[t + 1]!)) return i
    }
    return count
  }

  /** The same for lists of one partition, as most are in a large group; `claim` written out, with its state in locals. */
  private readSingles(from: number): number {
    const { topics, sizes, firsts, count } = this.lists
    const { ids } = this
    const { topicStart } = this.group
    const { bits } = this.claimed
    let { size, last } = this
    let i = from
    for (; i < count && sizes[i] === 1; i++) {
      const t = topics[i]!
      const first = firsts[i]!
      const partition = topicStart[t]! + first
      if (first < 0 || partition >= topicStart[t + 1]!) break
      if (partition <= last) this.ordered = false
      last = partition
      const word = bits[partition >>> 5]!
      const bit = 1 << (partition & 31)
      if ((word & bit) !== 0) this.contested = true
      bits[partition >>> 5] = word | bit
      ids[size++] = partition
    }
    this.size = size
    this.last = last
    return i
  }

  /** Reads the ids of a topic's partitions, start .. end - 1; false, and nothing read, if one of them is none. */
  private readArray(list: unknown, start: number, end: number): boolean {
    if (!Array.isArray(list)) return false
    const { ids } = this
    const { bits } = this.claimed
    let { size, last } = this
    for (let i = 0; i < list.length; i++) {
      const id: unknown = list[i]
      if (typeof id !== 'number' || (id | 0) !== id || id < 0 || start + id >= end) return false
      const partition = start + id
      if (partition <= last) this.ordered = false
      last = partition
      const word = bits[partition >>> 5]!
      const bit = 1 << (partition & 31)
      if ((word & bit) !== 0) this.contested = true
      bits[partition >>> 5] = word | bit
      ids[size++] = partition
    }
    this.size = size
    this.last = last
    return true
  }

  private readList(t: number, list: unknown, held: boolean): void {
    const base = this.group.topicStart[t]!
    const count = this.group.topicStart[t + 1]! - base
    const claims = isList(list) ? list : [list]
    for (let i = 0; i < claims.length; i++) {
      const id = claims[i]
      if (typeof id === 'number' && (id | 0) === id && id >= 0 && id < count) this.claim(base + id, held)
      else this.rejections.addOnce(this.member, this.group.topics[t]!, 'invalid-partition', id)
    }
  }

  private claim(partition: number, held: boolean): void {
    const { bits } = this.claimed
    const word = partition >>> 5
    const bit = 1 << (partition & 31)
    if (partition <= this.last) this.ordered = false
    this.last = partition
    if ((bits[word]! & bit) !== 0) this.contested = true
    bits[word]! |= bit
    if (held && this.held !== this.claimed) this.held.bits[word]! |= bit
    this.ids[this.size++] = partition
  }

  /** Claims on a topic that the member does not subscribe, or that has no partitions. */
  private readForeign(name: string, list: unknown, held: boolean): void {
    const t = this.lists.numberOf(name)
    const count = partitionsOf(this.request.topics, name)
    const claims = isList(list) ? list : [list]
    for (let i = 0; i < claims.length; i++) {
      const id = claims[i] as number
      const isPartition = Number.isInteger(id) && id >= 0 && id < count
      const reason = count === 0 ? 'unknown-topic' : isPartition ? 'not-subscribed' : 'invalid-partition'
      const isNew = this.rejections.addOnce(this.member, name, reason, id)
      if (isNew && held && t >= 0 && isPartition) {
        this.foreignHeld.push([this.group.topicStart[t]! + id, this.member])
      }
    }
  }

  private grow(by: number): void {
    const larger = new Int32Array(Math.max(2 * this.ids.length, this.size + by))
    larger.set(this.ids)
    this.ids = larger
  }

  /** Puts this entry's claims in order, each once. */
  private sortFrom(first: number): void {
    const claims = this.ids.subarray(first, this.size).sort()
    let kept = first
    for (let i = 0; i < claims.length; i++) if (i === 0 || claims[i] !== claims[i - 1]) this.ids[kept++] = claims[i]!
    this.size = kept
  }
}
