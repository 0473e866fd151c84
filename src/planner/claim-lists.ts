import type { Group } from './group'
import type { Claims, TopicPartitions } from './types'

/**
 * The lists of one member's claims, by topic. They are gathered first and looked into afterwards: memory is far away, and
 * the processor fetches many lists at once if nothing else comes in between.
 */
export class ClaimLists {
  count = 0
  /** By list: its topic; its length; its only partition, -1 if it is no list of one number. */
  topics: Int32Array
  sizes: Int32Array
  firsts: Int32Array
  readonly lists: unknown[] = []
  /** Lists of topics that the member does not subscribe: name and list. */
  foreign: [name: string, list: unknown][] = []
  private subscription: Int32Array = new Int32Array(0)
  /** Next position in the subscription: topics mostly come in order. */
  private next = 0
  private topicNumbers: Map<string, number> | undefined

  constructor(private readonly group: Group) {
    this.topics = new Int32Array(group.topics.length)
    this.sizes = new Int32Array(group.topics.length)
    this.firsts = new Int32Array(group.topics.length)
  }

  /**
   * Gathers claims of either form; whatever is neither is no claim. Returns the sum of the lengths of the lists; what is
   * no list counts as one claim.
   */
  gather(claims: Claims | undefined, subscription: Int32Array): number {
    this.count = 0
    if (this.foreign.length > 0) this.foreign = []
    this.next = 0
    this.subscription = subscription
    if (Array.isArray(claims)) this.gatherList(claims)
    else if (claims && typeof claims === 'object') this.gatherObject(claims as Record<string, unknown>)
    return measure(this.lists, this.count, this.sizes, this.firsts)
  }

  /** The topic's number, or -1 if it is not planned. */
  numberOf(name: string): number {
    if (!this.topicNumbers) {
      this.topicNumbers = new Map()
      for (let t = 0; t < this.group.topics.length; t++) this.topicNumbers.set(this.group.topics[t]!, t)
    }
    return this.topicNumbers.get(name) ?? -1
  }

  private gatherList(claims: readonly TopicPartitions[]): void {
    for (let i = 0; i < claims.length; i++) {
      const item = claims[i]
      if (item && typeof item.topic === 'string') this.add(item.topic, item.partitions)
    }
  }

  private gatherObject(claims: Record<string, unknown>): void {
    const { subscription, topics, lists } = this
    const names = Object.keys(claims)
    // The usual case: the member's topics in order. From the first other name on, names are looked up.
    const usual = Math.min(names.length, subscription.length)
    let i = 0
    for (; i < usual; i++) {
      const name = names[i]!
      if (this.group.topics[subscription[i]!] !== name) break
      topics[i] = subscription[i]!
      lists[i] = claims[name]
    }
    this.next = i
    this.count = i
    for (; i < names.length; i++) this.add(names[i]!, claims[names[i]!])
  }

  private add(name: string, list: unknown): void {
    const t = this.findTopic(name)
    if (t < 0) {
      this.foreign.push([name, list])
      return
    }
    if (this.count === this.topics.length) this.enlarge()
    this.topics[this.count] = t
    this.lists[this.count++] = list
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
    const t = this.numberOf(name)
    if (t < 0) return -1
    const position = subscription.length === topics.length ? t : indexIn(subscription, t)
    if (position < 0) return -1
    this.next = position + 1
    return t
  }

  private enlarge(): void {
    const larger = new Int32Array(2 * this.topics.length + 8)
    larger.set(this.topics)
    this.topics = larger
    this.sizes = new Int32Array(larger.length)
    this.firsts = new Int32Array(larger.length)
  }
}

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

/** What can be a list of partitions: arrays, typed ones included. */
export const isList = (value: unknown): value is ArrayLike<unknown> =>
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
