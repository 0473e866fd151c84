/**
 * A group by numbers, as Kafka's own assignors see it. Topics are those that some member subscribes and that exist,
 * ascending; the partitions of all topics share one numbering, topic by topic, so that ascending numbers are Kafka's
 * (topic, partition) order.
 */
import type { Claims, PlanMember, TopicSpec } from '../types'

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

/** Numbers what a leader knows. `topics` lists each name once. */
export function numberGroup(
  topics: Iterable<readonly [string, TopicSpec]>,
  members: readonly PlanMember[],
): KafkaGroup {
  const subscribed = new Set<string>()
  for (const member of members) for (const topic of member.topics) subscribed.add(topic)
  const specs = [...topics].filter(([topic, spec]) => partitionCount(spec) > 0 && subscribed.has(topic))
  specs.sort(([a], [b]) => (a < b ? -1 : 1))

  const start = [0]
  for (const [, spec] of specs) start.push(start.at(-1)! + partitionCount(spec))
  const indexOf = new Map(specs.map(([topic], index) => [topic, index]))
  const rackIndex = new Map<string, number>()
  const numberRack = (rack: string) => {
    const known = rackIndex.get(rack)
    if (known !== undefined) return known
    rackIndex.set(rack, rackIndex.size)
    return rackIndex.size - 1
  }

  return {
    topics: specs.map(([topic]) => topic),
    start,
    racks: specs.some(([, spec]) => typeof spec !== 'number')
      ? specs.flatMap(([, spec]) => racksOf(spec, numberRack))
      : null,
    members: members.map(member => ({
      memberId: member.memberId,
      instanceId: member.instanceId || null,
      rack: member.rackId ? numberRack(member.rackId) : NO_RACK,
      subscription: member.topics,
      topics: [...new Set(member.topics.flatMap(topic => indexOf.get(topic) ?? []))],
      claims: numberClaims(member, indexOf, start),
      generation: generationOf(member),
    })),
  }
}

const partitionCount = (spec: TopicSpec): number => (typeof spec === 'number' ? spec : spec.length)

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
    for (const [topic, partitions] of claimsByTopic(given)) {
      const index = indexOf.get(topic)
      if (index === undefined) continue
      const count = start[index + 1]! - start[index]!
      for (const partition of partitions) {
        if (Number.isInteger(partition) && partition >= 0 && partition < count) claims.add(start[index]! + partition)
      }
    }
  }
  return [...claims]
}

function claimsByTopic(claims: Claims | undefined): (readonly [string, readonly number[]])[] {
  if (!claims) return []
  if (!Array.isArray(claims)) return Object.entries(claims as Readonly<Record<string, readonly number[]>>)
  return claims.map(({ topic, partitions }) => [topic, partitions] as const)
}

function generationOf(member: PlanMember): number {
  const generation = member.generation
  return Number.isInteger(generation) && generation! >= 0 ? generation! : NO_GENERATION
}

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
 * a restarted static member gets its partitions back (KAFKA-7895).
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
