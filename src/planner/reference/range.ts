import type { Steps, Work } from '../steps'
import { type KafkaGroup, memberOrder, NO_RACK, NOBODY, type Owners, subscribersByTopic } from './group'
import { racksMatter } from './racks'

/**
 * Kafka's RangeAssignor: topic by topic, each subscriber gets a consecutive range, the first ones one partition more.
 * Where racks matter (KIP-881), partitions first go to members of their racks, as far as the ranges' sizes allow;
 * topics of the same subscribers and partition count stay aligned, so that joins work (KAFKA-14891).
 */
export function* range(group: KafkaGroup, steps: Steps): Work<Owners> {
  const owners: Owners = new Int32Array(group.start.at(-1)!).fill(NOBODY)
  const subscribers = subscribersByTopic(group, memberOrder(group))
  const topics: TopicState[] = []
  for (let t = 0; t < subscribers.length; t++) {
    topics.push(topicState(group, t, subscribers[t]!))
    if (steps.spent(sizeOf(topics[t]!))) yield
  }
  if (topics.some(topic => topic.racksMatter)) {
    for (const alike of yield* coPartitioned(topics, steps)) {
      if (alike.length > 1) assignAligned(group, alike, owners)
      else if (alike[0]!.racksMatter) assignInRack(group, alike[0]!, owners)
      if (steps.spent(4 * alike.length * sizeOf(alike[0]!))) yield
    }
  }
  for (const topic of topics) {
    assignRest(topic, owners)
    if (steps.spent(sizeOf(topic))) yield
  }
  return owners
}

interface TopicState {
  readonly first: number
  readonly partitions: number
  readonly subscribers: readonly number[]
  readonly anyRack: boolean
  readonly racksMatter: boolean
  /** What every subscriber gets at least. */
  readonly share: number
  /** How many subscribers may still get one more than that. */
  extra: number
  /** For each subscriber what it has so far. */
  readonly counts: number[]
}

function topicState(group: KafkaGroup, t: number, subscribers: readonly number[]): TopicState {
  const first = group.start[t]!
  const partitions = group.start[t + 1]! - first
  const memberRacks = subscribers.map(m => group.members[m]!.rack)
  const anyRack = group.racks !== null && memberRacks.some(rack => rack !== NO_RACK)
  return {
    first,
    partitions,
    subscribers,
    anyRack,
    racksMatter: anyRack && racksMatter(memberRacks, group.racks!.slice(first, first + partitions)),
    share: Math.floor(partitions / subscribers.length),
    extra: partitions % subscribers.length,
    counts: subscribers.map(() => 0),
  }
}

const sizeOf = ({ partitions, subscribers }: TopicState): number => 4 * (partitions + subscribers.length)

/** How many more partitions the i-th subscriber may get. Never grows again once it is 0. */
function room(topic: TopicState, i: number): number {
  return Math.max(0, topic.share + (topic.extra > 0 ? 1 : 0) - topic.counts[i]!)
}

function give(topic: TopicState, i: number, partition: number, owners: Owners): void {
  owners[partition] = topic.subscribers[i]!
  topic.counts[i]!++
  if (topic.counts[i]! > topic.share) topic.extra--
}

/** Topics of the same subscribers and size. Without any rack among the subscribers a topic has nothing to align. */
function* coPartitioned(topics: readonly TopicState[], steps: Steps): Work<TopicState[][]> {
  const groups = new Map<string, TopicState[]>()
  for (const topic of topics) {
    if (!topic.anyRack) continue
    const key = `${topic.partitions}:${topic.subscribers.join()}`
    const alike = groups.get(key)
    if (alike) alike.push(topic)
    else groups.set(key, [topic])
    if (steps.spent(4 * topic.subscribers.length)) yield
  }
  return [...groups.values()]
}

/** Gives partition p of all the topics to one and the same member whose rack has a replica of each. */
function assignAligned(group: KafkaGroup, topics: readonly TopicState[], owners: Owners): void {
  // The topics fill alike, so the first one speaks for all.
  const lead = topics[0]!
  const queues = new RackQueues(
    lead.subscribers.map(m => group.members[m]!.rack),
    i => room(lead, i) > 0,
  )
  for (let p = 0; p < lead.partitions; p++) {
    const shared = group.racks![lead.first + p]!.filter(rack =>
      topics.every(topic => group.racks![topic.first + p]!.includes(rack)),
    )
    const i = queues.first(shared)
    if (i < 0) continue
    for (const topic of topics) give(topic, i, topic.first + p, owners)
  }
}

/** Members by rack, each queue in the members' order. Whoever has no room left is dropped for good. */
class RackQueues {
  private readonly queues = new Map<number, number[]>()
  private readonly heads = new Map<number, number>()

  constructor(
    racks: readonly number[],
    private readonly hasRoom: (i: number) => boolean,
  ) {
    racks.forEach((rack, i) => {
      const queue = this.queues.get(rack)
      if (queue) queue.push(i)
      else this.queues.set(rack, [i])
    })
  }

  /** The first member with room that is in one of the racks or in none at all, or -1. */
  first(racks: readonly number[]): number {
    let best = -1
    for (const rack of [...racks, NO_RACK]) {
      const i = this.head(rack)
      if (i >= 0 && (best < 0 || i < best)) best = i
    }
    return best
  }

  private head(rack: number): number {
    const queue = this.queues.get(rack)
    if (!queue) return -1
    let head = this.heads.get(rack) ?? 0
    while (head < queue.length && !this.hasRoom(queue[head]!)) head++
    this.heads.set(rack, head)
    return head < queue.length ? queue[head]! : -1
  }
}

/** Gives each subscriber the first free partitions that have a replica in its rack. */
function assignInRack(group: KafkaGroup, topic: TopicState, owners: Owners): void {
  const all = Array.from({ length: topic.partitions }, (_, p) => topic.first + p)
  const byRack = new Map<number, Iterator<number>>([[NO_RACK, all.values()]])
  topic.subscribers.forEach((m, i) => {
    const { rack } = group.members[m]!
    // One cursor a rack is enough: what it has passed is taken, by this rack or by another.
    if (!byRack.has(rack)) byRack.set(rack, all.filter(p => group.racks![p]!.includes(rack)).values())
    takeFree(topic, i, byRack.get(rack)!, owners)
  })
}

/** Gives the i-th subscriber free partitions in order, as many as it may still get. */
function takeFree(topic: TopicState, i: number, candidates: Iterator<number>, owners: Owners): void {
  for (let left = room(topic, i); left > 0; left--) {
    let next = candidates.next()
    while (!next.done && owners[next.value] !== NOBODY) next = candidates.next()
    if (next.done) return
    give(topic, i, next.value, owners)
  }
}

function assignRest(topic: TopicState, owners: Owners): void {
  const all = Array.from({ length: topic.partitions }, (_, p) => topic.first + p).values()
  topic.subscribers.forEach((_, i) => {
    takeFree(topic, i, all, owners)
  })
}
