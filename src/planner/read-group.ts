import { type Entries, type Group, generationOf } from './group'
import type { Steps, Work } from './steps'
import type { PlanMember, PlanRequest, TopicSpec } from './types'

/** Names become numbers here, once; everything after this works on numbers. */
export function* readGroup(request: PlanRequest, steps: Steps): Work<{ group: Group; entries: Entries }> {
  const entries = sortEntries(request.members)
  const members = entries.start.length - 1
  const memberIds: string[] = new Array(members)
  const rawOf = new Int32Array(members)
  const reader = new SubscriptionReader(request.topics)
  for (let m = 0; m < members; m++) {
    const first = entries.start[m]!
    const last = entries.start[m + 1]! - 1
    const entry = entries.list[first]!
    memberIds[m] = entry.memberId
    const names = first === last ? entry.topics : entries.list.slice(first, last + 1).flatMap(({ topics }) => topics)
    rawOf[m] = reader.read(names)
    if (steps.spent(names.length + 1)) yield
  }
  return { group: { memberIds, ...(yield* reader.finish(rawOf, steps)) }, entries }
}

function sortEntries(members: readonly PlanMember[]): Entries {
  const list = [...members].sort((a, b) =>
    a.memberId < b.memberId ? -1 : a.memberId > b.memberId ? 1 : generationOf(b) - generationOf(a),
  )
  const start = new Int32Array(list.length + 1)
  let count = 0
  for (let i = 0; i < list.length; i++) {
    if (i === 0 || list[i]!.memberId !== list[i - 1]!.memberId) start[count++] = i
  }
  start[count] = list.length
  return { list, start: start.subarray(0, count + 1) }
}

/** Partitions of a topic of the request; 0 if the request does not know it. Names like `__proto__` are ordinary. */
export function partitionsOf(topics: PlanRequest['topics'], name: string): number {
  if (!Object.hasOwn(topics, name)) return 0
  const spec = topics[name] as TopicSpec
  if (typeof spec !== 'number') return Array.isArray(spec) ? spec.length : 0
  return Number.isInteger(spec) && spec > 0 ? spec : 0
}

const missing = -1

class SubscriptionReader {
  /** Topic name → number in order of appearance. */
  private readonly numbers = new Map<string, number>()
  private readonly names: string[] = []
  private readonly sizes: number[] = []
  private readonly missingTopics: string[] = []
  /** The distinct lists one after another, as topic numbers; where each starts, and how many there are. */
  private flat = new Int32Array(64)
  private readonly starts: number[] = [0]
  /** The last few distinct lists: most members subscribe what another one does. */
  private readonly recent: { names: readonly string[]; raw: number }[] = []

  constructor(private readonly topics: PlanRequest['topics']) {}

  /** Reads one member's topics and returns the number of its list. */
  read(names: readonly string[]): number {
    for (const { names: known, raw } of this.recent) if (equalLists(names, known)) return raw
    let end = this.starts[this.starts.length - 1]!
    if (end + names.length > this.flat.length) {
      const larger = new Int32Array(2 * (end + names.length))
      larger.set(this.flat)
      this.flat = larger
    }
    for (let i = 0; i < names.length; i++) {
      const number = this.numbers.get(names[i]!) ?? this.numberOf(names[i]!)
      if (number !== missing) this.flat[end++] = number
    }
    const raw = this.starts.push(end) - 2
    if (this.recent.length === recentLimit) this.recent.pop()
    this.recent.unshift({ names, raw })
    return raw
  }

  private numberOf(name: string): number {
    const size = partitionsOf(this.topics, name)
    const number = size > 0 ? this.names.length : missing
    this.numbers.set(name, number)
    if (number === missing) this.missingTopics.push(name)
    else {
      this.names.push(name)
      this.sizes.push(size)
    }
    return number
  }

  /** Renumbers the topics by name, and makes equal sets one. */
  *finish(rawOf: Int32Array, steps: Steps): Work<Omit<Group, 'memberIds'>> {
    const count = this.names.length
    const order = new Array<number>(count)
    for (let i = 0; i < count; i++) order[i] = i
    if (!isAscending(this.names)) order.sort((a, b) => (this.names[a]! < this.names[b]! ? -1 : 1))
    const rank = new Int32Array(count)
    const topics = new Array<string>(count)
    const topicStart = new Int32Array(count + 1)
    for (let t = 0; t < count; t++) {
      rank[order[t]!] = t
      topics[t] = this.names[order[t]!]!
      topicStart[t + 1] = topicStart[t]! + this.sizes[order[t]!]!
    }
    const sets = new SetCollector(count)
    const setOf = new Int32Array(this.starts.length - 1)
    for (let raw = 0; raw < setOf.length; raw++) {
      setOf[raw] = sets.add(this.flat, this.starts[raw]!, this.starts[raw + 1]!, rank)
      if (steps.spent(4 * (this.starts[raw + 1]! - this.starts[raw]!) + 1)) yield
    }
    const subscriptionOf = new Int32Array(rawOf.length)
    const subscribers = new Int32Array(rawOf.length)
    let subscriberCount = 0
    for (let m = 0; m < rawOf.length; m++) {
      subscriptionOf[m] = setOf[rawOf[m]!]!
      if (sets.all[subscriptionOf[m]!]!.length > 0) subscribers[subscriberCount++] = m
    }
    return {
      topics: asKeys(topics),
      topicStart,
      subscriptions: sets.all,
      subscriptionOf,
      subscribers: subscribers.subarray(0, subscriberCount),
      isUniform: sets.all.filter(set => set.length > 0).length <= 1,
      missingTopics: this.missingTopics.sort(),
    }
  }
}

const recentLimit = 4

/** The same names as property keys are stored: to compare them with the keys of claims takes one step. */
function asKeys(names: string[]): string[] {
  const object = Object.create(null) as Record<string, number>
  for (let i = 0; i < names.length; i++) object[names[i]!] = i
  const keys = Object.keys(object)
  // Names that are numbers come first, in an order of their own.
  for (let i = 0; i < names.length; i++) if (keys[i] !== names[i]) return names
  return keys
}

/** Sets of topics, each once. */
class SetCollector {
  readonly all: Int32Array[] = []
  private readonly byHash = new Map<number, number[]>()
  /** By topic: the number of the last set that had it. */
  private readonly seen: Int32Array
  private readonly scratch: Int32Array
  private added = 0

  constructor(private readonly topics: number) {
    this.seen = new Int32Array(topics)
    this.scratch = new Int32Array(topics)
  }

  /** Adds the set of the topics rank[flat[start]] .. rank[flat[end - 1]] and returns its index in `all`. */
  add(flat: Int32Array, start: number, end: number, rank: Int32Array): number {
    const { seen, scratch } = this
    const stamp = ++this.added
    let size = 0
    let hash = 0
    for (let i = start; i < end; i++) {
      const t = rank[flat[i]!]!
      if (seen[t] === stamp) continue
      seen[t] = stamp
      scratch[size++] = t
      hash = (hash + Math.imul(t + 1, 0x9e3779b1) * (t + 7)) | 0
    }
    const set = this.ascending(size, stamp)
    let alike = this.byHash.get(hash)
    if (!alike) this.byHash.set(hash, (alike = []))
    for (const index of alike) if (equalNumbers(this.all[index]!, set)) return index
    const index = this.all.push(set.slice()) - 1
    alike.push(index)
    return index
  }

  /** The set of the given stamp in order; valid until the next one is added. */
  private ascending(size: number, stamp: number): Int32Array {
    const { seen, scratch, topics } = this
    if (size * 8 < topics) return scratch.subarray(0, size).sort()
    for (let t = 0, at = 0; at < size; t++) if (seen[t] === stamp) scratch[at++] = t
    return scratch.subarray(0, size)
  }
}

function equalLists(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function equalNumbers(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function isAscending(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) if (names[i]! < names[i - 1]!) return false
  return true
}
