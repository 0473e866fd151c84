import { type Entries, type Group, generationOf } from './group'
import type { Steps, Work } from './steps'
import type { PlanMember, PlanRequest, TopicSpec } from './types'

/** Names become numbers here, once; everything after this works on numbers. */
export function* readGroup(request: PlanRequest, steps: Steps): Work<{ group: Group; entries: Entries }> {
  const entries = sortEntries(request.members)
  const memberIds: string[] = []
  for (let m = 0; m + 1 < entries.start.length; m++) memberIds.push(entries.list[entries.start[m]!]!.memberId)

  const reader = new SubscriptionReader(request.topics)
  const rawOf = new Int32Array(memberIds.length)
  for (let m = 0; m < memberIds.length; m++) {
    const first = entries.start[m]!
    const last = entries.start[m + 1]! - 1
    const names =
      first === last ? entries.list[first]!.topics : entries.list.slice(first, last + 1).flatMap(entry => entry.topics)
    rawOf[m] = reader.read(names)
    if (steps.spent(names.length)) yield
  }
  return { group: { memberIds, ...reader.finish(rawOf) }, entries }
}

function sortEntries(members: readonly PlanMember[]): Entries {
  const list = [...members].sort((a, b) =>
    a.memberId < b.memberId ? -1 : a.memberId > b.memberId ? 1 : generationOf(b) - generationOf(a),
  )
  const start: number[] = []
  list.forEach((entry, i) => {
    if (i === 0 || entry.memberId !== list[i - 1]!.memberId) start.push(i)
  })
  return { list, start: Int32Array.from([...start, list.length]) }
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
  private readonly missingTopics = new Set<string>()
  private readonly sets: Int32Array[] = []
  private previous: readonly string[] = []

  constructor(private readonly topics: PlanRequest['topics']) {}

  /** Reads one member's topics and returns the number of its set; sets of equal lists in a row are shared. */
  read(names: readonly string[]): number {
    if (this.sets.length > 0 && equalLists(names, this.previous)) return this.sets.length - 1
    this.previous = names
    const set = new Set<number>()
    for (const name of names) {
      const number = this.numberOf(name)
      if (number !== missing) set.add(number)
    }
    this.sets.push(Int32Array.from(set))
    return this.sets.length - 1
  }

  private numberOf(name: string): number {
    let number = this.numbers.get(name)
    if (number === undefined) {
      const size = partitionsOf(this.topics, name)
      number = size > 0 ? this.names.length : missing
      this.numbers.set(name, number)
      if (size > 0) {
        this.names.push(name)
        this.sizes.push(size)
      } else this.missingTopics.add(name)
    }
    return number
  }

  /** Renumbers the topics by name and makes equal sets one. */
  finish(rawOf: Int32Array): Omit<Group, 'memberIds'> {
    const order = this.names.map((_, i) => i).sort((a, b) => (this.names[a]! < this.names[b]! ? -1 : 1))
    const rank = new Int32Array(order.length)
    const topicStart = new Int32Array(order.length + 1)
    order.forEach((number, t) => {
      rank[number] = t
      topicStart[t + 1] = topicStart[t]! + this.sizes[number]!
    })
    const subscriptions: Int32Array[] = []
    const byContent = new Map<string, number>()
    const finalOf = this.sets.map(set => {
      const topics = set.map(number => rank[number]!).sort()
      const key = topics.join()
      let index = byContent.get(key)
      if (index === undefined) {
        index = subscriptions.push(topics) - 1
        byContent.set(key, index)
      }
      return index
    })
    return {
      topics: order.map(number => this.names[number]!),
      topicStart,
      subscriptions,
      subscriptionOf: rawOf.map(raw => finalOf[raw]!),
      missingTopics: [...this.missingTopics].sort(),
    }
  }
}

function equalLists(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
