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
  private entries = 0
  private size = 0
  private member = 0
  private subscription: Int32Array = new Int32Array(0)
  /** Next position in the subscription: topics mostly come in order. */
  private next = 0
  private last = -1
  private ordered = true
  private readonly uniform: boolean
  private topicNumbers: Map<string, number> | undefined
  /** Claims of this entry that were rejected, by topic, so that each counts once. */
  private rejected: Map<string, Set<unknown>> | undefined

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
    this.uniform = group.subscriptions.length === 1
  }

  /** Reads what a member claims; returns the steps it took. */
  read(member: number, entry: PlanMember): number {
    const first = this.size
    this.member = member
    this.subscription = this.group.subscriptions[this.group.subscriptionOf[member]!]!
    this.last = -1
    this.ordered = true
    this.rejected = undefined
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

  /** Both forms of claims; whatever is neither is no claim. Returns the number of lists. */
  private readForm(claims: Claims | undefined, held: boolean): number {
    this.next = 0
    if (Array.isArray(claims)) {
      for (let i = 0; i < claims.length; i++) {
        const item = claims[i]
        if (item && typeof item.topic === 'string') this.readList(item.topic, item.partitions, held)
      }
      return claims.length
    }
    if (!claims || typeof claims !== 'object') return 0
    const topics = Object.keys(claims)
    for (let i = 0; i < topics.length; i++) {
      this.readList(topics[i]!, (claims as Record<string, unknown>)[topics[i]!], held)
    }
    return topics.length
  }

  private readList(name: string, list: unknown, held: boolean): void {
    const { topics, topicStart } = this.group
    let t = this.next < this.subscription.length ? this.subscription[this.next]! : -1
    if (t >= 0 && topics[t] === name) this.next++
    else if ((t = this.subscribed(name)) < 0) {
      this.readForeign(name, list, held)
      return
    }
    const base = topicStart[t]!
    const count = topicStart[t + 1]! - base
    const claims = isList(list) ? list : [list]
    if (this.size + claims.length > this.ids.length) this.grow(claims.length)
    const { ids } = this
    const { bits } = this.claimed
    const heldBits = this.held === this.claimed || !held ? undefined : this.held.bits
    let { size, last } = this
    for (let i = 0; i < claims.length; i++) {
      const id = claims[i]
      if (typeof id !== 'number' || (id | 0) !== id || id < 0 || id >= count) {
        this.reject(name, 'invalid-partition', id)
        continue
      }
      const partition = base + id
      if (partition <= last) this.ordered = false
      last = partition
      const word = partition >>> 5
      const bit = 1 << (partition & 31)
      if ((bits[word]! & bit) !== 0) this.contested = true
      bits[word]! |= bit
      if (heldBits) heldBits[word]! |= bit
      ids[size++] = partition
    }
    this.size = size
    this.last = last
  }

  /** The topic if the member subscribes it, else -1. */
  private subscribed(name: string): number {
    const t = this.planned(name)
    if (t < 0) return -1
    const position = this.uniform ? t : indexIn(this.subscription, t)
    if (position < 0) return -1
    this.next = position + 1
    return t
  }

  private planned(name: string): number {
    if (!this.topicNumbers) {
      this.topicNumbers = new Map()
      for (let t = 0; t < this.group.topics.length; t++) this.topicNumbers.set(this.group.topics[t]!, t)
    }
    return this.topicNumbers.get(name) ?? -1
  }

  /** Claims on a topic that the member does not subscribe, or that has no partitions. */
  private readForeign(name: string, list: unknown, held: boolean): void {
    const t = this.planned(name)
    const count = partitionsOf(this.request.topics, name)
    const claims = isList(list) ? list : [list]
    for (let i = 0; i < claims.length; i++) {
      const id = claims[i] as number
      if (count === 0) this.reject(name, 'unknown-topic', id)
      else if (!Number.isInteger(id) || id < 0 || id >= count) this.reject(name, 'invalid-partition', id)
      else if (this.reject(name, 'not-subscribed', id) && held && t >= 0) {
        this.foreignHeld.push([this.group.topicStart[t]! + id, this.member])
      }
    }
  }

  /** False if the same claim was rejected before. */
  private reject(
    topic: string,
    reason: 'unknown-topic' | 'invalid-partition' | 'not-subscribed',
    id: unknown,
  ): boolean {
    this.rejected ??= new Map()
    let seen = this.rejected.get(topic)
    if (!seen) this.rejected.set(topic, (seen = new Set()))
    if (seen.has(id)) return false
    seen.add(id)
    this.rejections.add(this.member, topic, reason, id)
    return true
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

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))

/** Position of a topic in an ascending list, or -1. */
function indexIn(list: Int32Array, topic: number): number {
  let low = 0
  let high = list.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (list[middle] === topic) return middle
    if (list[middle]! < topic) low = middle + 1
    else high = middle - 1
  }
  return -1
}
