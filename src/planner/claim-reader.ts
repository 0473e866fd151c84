import { type Group, partitionCount } from './group'
import { PartitionSet } from './partition-set'
import { partitionsOf } from './read-group'
import { Rejections } from './rejections'
import type { Claims, PlanMember, PlanRequest, TopicPartitions } from './types'

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
  private subscription: Int32Array = empty
  /** Next position in the subscription: topics mostly come in order. */
  private next = 0
  private last = -1
  /** Lists that wait to be read: topic, list, and if it is an array its length and its only partition. */
  private gatheredTopics: Int32Array
  private readonly gatheredLists: unknown[] = []
  private gatheredSizes: Int32Array
  private gatheredFirsts: Int32Array
  private ordered = true
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
    this.gatheredTopics = new Int32Array(group.topics.length)
    this.gatheredSizes = new Int32Array(group.topics.length)
    this.gatheredFirsts = new Int32Array(group.topics.length)
    this.held = list.some(entry => entry.released) ? new PartitionSet(partitions) : this.claimed
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
    const count = Array.isArray(claims) ? this.gatherList(claims, held) : this.gatherObject(claims, held)
    this.readGathered(count, held)
    return count
  }

  /**
   * Claims are first gathered, then their lists are looked into: memory is far away, and the processor fetches many
   * lists at once if nothing else comes in between.
   */
  private gatherList(claims: readonly TopicPartitions[], held: boolean): number {
    let count = 0
    for (let i = 0; i < claims.length; i++) {
      const item = claims[i]
      if (item && typeof item.topic === 'string') count = this.gather(item.topic, item.partitions, held, count)
    }
    return count
  }

  private gatherObject(claims: unknown, held: boolean): number {
    if (!claims || typeof claims !== 'object') return 0
    const lists = claims as Record<string, unknown>
    const { subscription, gatheredTopics, gatheredLists } = this
    const { topics } = this.group
    const names = Object.keys(claims)
    // The usual case: the member's topics in order. From the first other name on, names are looked up.
    const usual = Math.min(names.length, subscription.length, gatheredTopics.length)
    let i = 0
    for (; i < usual; i++) {
      const name = names[i]!
      if (topics[subscription[i]!] !== name) break
      gatheredTopics[i] = subscription[i]!
      gatheredLists[i] = lists[name]
    }
    this.next = i
    let count = i
    for (; i < names.length; i++) count = this.gather(names[i]!, lists[names[i]!], held, count)
    return count
  }

  /** Appends a list, if the member subscribes its topic. */
  private gather(name: string, list: unknown, held: boolean, count: number): number {
    const t = this.findTopic(name)
    if (t < 0) {
      this.readForeign(name, list, held)
      return count
    }
    if (count === this.gatheredTopics.length) this.enlargeGathered()
    this.gatheredTopics[count] = t
    this.gatheredLists[count] = list
    return count + 1
  }

  /** The topic if the member subscribes it, else -1. Mostly it is one of those that come next. */
  private findTopic(name: string): number {
    const { subscription } = this
    const { topics } = this.group
    const near = Math.min(this.next + 8, subscription.length)
    for (let i = this.next; i < near; i++) {
      if (topics[subscription[i]!] !== name) continue
      this.next = i + 1
      return subscription[i]!
    }
    const t = this.planned(name)
    if (t < 0) return -1
    const position = subscription.length === topics.length ? t : indexIn(subscription, t)
    if (position < 0) return -1
    this.next = position + 1
    return t
  }

  private enlargeGathered(): void {
    const larger = new Int32Array(2 * this.gatheredTopics.length + 8)
    larger.set(this.gatheredTopics)
    this.gatheredTopics = larger
    this.gatheredSizes = new Int32Array(larger.length)
    this.gatheredFirsts = new Int32Array(larger.length)
  }

  private readGathered(count: number, held: boolean): void {
    const { gatheredLists, gatheredTopics, gatheredSizes, gatheredFirsts } = this
    const total = measure(gatheredLists, count, gatheredSizes, gatheredFirsts)
    if (this.size + total > this.ids.length) this.grow(total)
    const simple = this.held === this.claimed || !held
    for (let i = 0; i < count; ) {
      if (simple) i = this.readSingles(i, count)
      if (i === count) break
      if (gatheredSizes[i] !== 0) this.readList(gatheredTopics[i]!, gatheredLists[i], held)
      i++
    }
  }

  /** Reads lists of one partition from the i-th on, as most are in a large group; returns where it had to stop. */
  private readSingles(from: number, count: number): number {
    const { gatheredTopics, gatheredSizes, gatheredFirsts, ids } = this
    const { topicStart } = this.group
    const { bits } = this.claimed
    let { size, last } = this
    let i = from
    for (; i < count && gatheredSizes[i] === 1; i++) {
      const t = gatheredTopics[i]!
      const first = gatheredFirsts[i]!
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

  private readList(t: number, list: unknown, held: boolean): void {
    const base = this.group.topicStart[t]!
    const count = this.group.topicStart[t + 1]! - base
    const claims = isList(list) ? list : [list]
    for (let i = 0; i < claims.length; i++) {
      const id = claims[i]
      if (typeof id === 'number' && (id | 0) === id && id >= 0 && id < count) this.claim(base + id, held)
      else this.reject(this.group.topics[t]!, 'invalid-partition', id)
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

const empty = new Int32Array(0)

/**
 * Fills in the length of each list, and the first partition of lists of one (-1 if it is none). Returns the sum of the
 * lengths; what is no list counts as one claim.
 */
function measure(lists: readonly unknown[], count: number, sizes: Int32Array, firsts: Int32Array): number {
  let total = 0
  for (let i = 0; i < count; i++) {
    const list = lists[i]
    let size = 1
    let first = -1
    if (Array.isArray(list)) {
      size = list.length
      if (size === 1) {
        const id = list[0]
        if (typeof id === 'number' && (id | 0) === id) first = id
      }
    } else if (isList(list)) size = list.length
    sizes[i] = size
    firsts[i] = first
    total += size
  }
  return total
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
