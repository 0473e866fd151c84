/**
 * A group by numbers, as Kafka's own assignors see it. Topics are those that some member subscribes and that exist,
 * ascending; the partitions of all topics share one numbering, topic by topic, so that ascending numbers are Kafka's
 * (topic, partition) order.
 */
import { claimedLists } from '../claims'
import { generationOf } from '../group'
import { partitionsOf } from '../read-group'
import type { Steps, Work } from '../steps'
import type { PlanMember, PlanRequest, TopicSpec } from '../types'

export interface KafkaMember {
  readonly memberId: string
  readonly instanceId: string | null
  /** Index of the member's rack, -1 for none. */
  readonly rack: number
  /** What it subscribes, as given: topics that do not exist and duplicates included. */
  readonly subscription: readonly string[]
  /** Indexes of the topics that exist, each once. */
  readonly topics: readonly number[]
  /** Partitions that it claims and that exist, each once, in the order given. */
  readonly claims: readonly number[]
  /** Generation of its claims; -1 for none. */
  readonly generation: number
}

export interface KafkaGroup {
  readonly topics: readonly string[]
  /** First partition number of each topic, then the number of all partitions. */
  readonly start: readonly number[]
  /** In the order of the JoinGroup response. */
  readonly members: readonly KafkaMember[]
  /** For each partition the racks of its replicas, each once. Null if no partition's racks are known. */
  readonly racks: readonly (readonly number[])[] | null
}

/** Owner of each partition as an index into `members`, -1 for nobody. */
export type Owners = Int32Array

export const NOBODY = -1
export const NO_RACK = -1
export const NO_GENERATION = -1

export function* numberGroup(
  { topics: specs, members }: Pick<PlanRequest, 'topics' | 'members'>,
  steps: Steps,
): Work<KafkaGroup> {
  const subscribed = new Set<string>()
  for (const member of members) {
    for (const topic of member.topics) subscribed.add(topic)
    if (steps.spent(4 * member.topics.length)) yield
  }
  const topics = [...subscribed].filter(topic => partitionsOf(specs, topic) > 0).sort()
  const start = [0]
  for (const topic of topics) start.push(start.at(-1)! + partitionsOf(specs, topic))
  const indexOf = new Map(topics.map((topic, index) => [topic, index]))
  const rackIndex = new Map<string, number>()
  const numberRack = (rack: string) => {
    const known = rackIndex.get(rack)
    if (known !== undefined) return known
    rackIndex.set(rack, rackIndex.size)
    return rackIndex.size - 1
  }

  const racks: (readonly number[])[] = []
  const racksKnown = topics.some(topic => typeof specs[topic] !== 'number')
  for (const topic of racksKnown ? topics : []) {
    for (const partition of racksOf(specs[topic]!, numberRack)) {
      racks.push(partition)
      if (steps.spent(8)) yield
    }
  }

  const numbered: KafkaMember[] = []
  for (const member of members) {
    numbered.push({
      memberId: member.memberId,
      instanceId: member.instanceId || null,
      rack: member.rackId ? numberRack(member.rackId) : NO_RACK,
      subscription: member.topics,
      topics: [...new Set(member.topics.flatMap(topic => indexOf.get(topic) ?? []))],
      claims: numberClaims(member, indexOf, start),
      generation: generationOf(member),
    })
    const { claims, subscription } = numbered.at(-1)!
    if (steps.spent(16 * (subscription.length + claims.length))) yield
  }
  return { topics, start, racks: racksKnown ? racks : null, members: numbered }
}

function racksOf(spec: TopicSpec, numberRack: (rack: string) => number): (readonly number[])[] {
  if (typeof spec === 'number') return new Array(spec).fill([])
  return spec.map(racks => {
    const numbers: number[] = []
    for (const rack of racks) {
      if (!rack) continue
      const number = numberRack(rack)
      if (!numbers.includes(number)) numbers.push(number)
    }
    return numbers
  })
}

/** Java would throw on a partition that does not exist, or hand it out (see `kafka-sticky.ts`): it is left out here. */
function numberClaims(member: PlanMember, indexOf: ReadonlyMap<string, number>, start: readonly number[]): number[] {
  const claims = new Set<number>()
  for (const given of [member.owned, member.released]) {
    for (const [topic, partitions] of claimedLists(given)) {
      const index = indexOf.get(topic)
      if (index === undefined || !isList(partitions)) continue
      const count = start[index + 1]! - start[index]!
      for (let i = 0; i < partitions.length; i++) {
        const partition = partitions[i]
        if (isPartition(partition, count)) claims.add(start[index]! + partition)
      }
    }
  }
  return [...claims]
}

const isList = (value: unknown): value is ArrayLike<unknown> => Array.isArray(value) || ArrayBuffer.isView(value)

const isPartition = (value: unknown, count: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < count

/** Topic of a partition number. */
export function topicIndexes(group: KafkaGroup): Int32Array {
  const topicOf = new Int32Array(group.start.at(-1)!)
  for (let t = 0; t < group.topics.length; t++) topicOf.fill(t, group.start[t], group.start[t + 1])
  return topicOf
}

/** For each topic its subscribers, in the order given. */
export function subscribersByTopic(group: KafkaGroup, order: Iterable<number>): number[][] {
  const subscribers: number[][] = group.topics.map(() => [])
  for (const m of order) for (const t of group.members[m]!.topics) subscribers[t]!.push(m)
  return subscribers
}

/**
 * Order of members in range and roundrobin: static members first, by instance id, then the others by member id, so that
 * a restarted static member gets its partitions back (KIP-345).
 */
export function memberOrder(group: KafkaGroup): number[] {
  const { members } = group
  return members
    .map((_, m) => m)
    .sort((a, b) => {
      const [x, y] = [members[a]!, members[b]!]
      if ((x.instanceId === null) !== (y.instanceId === null)) return x.instanceId === null ? 1 : -1
      if (x.instanceId !== y.instanceId) return x.instanceId! < y.instanceId! ? -1 : 1
      return x.memberId < y.memberId ? -1 : 1
    })
}
