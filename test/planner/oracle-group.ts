/**
 * What a plan request means, read the slow and plain way: one object for each partition, nothing shared with the planner.
 */
import type { PlanMember, PlanRequest, TopicSpec } from '../../src/planner/types'

export interface Partition {
  readonly topic: string
  readonly id: number
  /** Members that may have it. */
  readonly subscribers: readonly Member[]
  /** Whose claim is believed. */
  readonly owner: Member | null
  /** Live members that may be working on it. */
  readonly holders: readonly Member[]
  readonly racks: ReadonlySet<string>
}

export interface Member {
  readonly memberId: string
  /** Existing topics that it subscribes. */
  readonly topics: ReadonlySet<string>
  readonly rackId: string | null
}

export interface OracleGroup {
  readonly members: readonly Member[]
  /** Those of topics with a subscriber, ascending by topic and id. */
  readonly partitions: readonly Partition[]
  /** Whether racks decide anything (KIP-881). */
  readonly racksMatter: boolean
  /** Valid claims that are not believed. */
  readonly outdatedClaims: number
}

export function readOracleGroup(request: PlanRequest): OracleGroup {
  const topics = new Map(Object.entries(request.topics).map(([topic, spec]) => [topic, racksByPartition(spec)]))
  const members = new Map<PlanMember, Member>()
  for (const member of request.members) {
    const existing = member.topics.filter(topic => (topics.get(topic)?.length ?? 0) > 0)
    members.set(member, { memberId: member.memberId, topics: new Set(existing), rackId: member.rackId || null })
  }

  const claims = new Map([...members].map(([raw, member]) => [member, readClaims(raw)]))
  const all = [...members.values()]

  const partitions: Partition[] = []
  let outdatedClaims = 0
  for (const topic of [...topics.keys()].sort()) {
    const subscribers = all.filter(member => member.topics.has(topic))
    if (subscribers.length === 0) continue
    const holding = all.filter(member => claims.get(member)!.held.has(topic))
    topics.get(topic)!.forEach((racks, id) => {
      const claimants = subscribers.filter(member => claims.get(member)!.all.get(topic)?.has(id))
      const owner = believed(claimants, member => claims.get(member)!.generation)
      outdatedClaims += claimants.length - (owner ? 1 : 0)
      const holders = holding.filter(member => claims.get(member)!.held.get(topic)!.has(id))
      partitions.push({ topic, id, subscribers, owner, holders, racks })
    })
  }
  return { members: all, partitions, racksMatter: doRacksMatter(all, partitions), outdatedClaims }
}

interface MemberClaims {
  /** By topic what the member may be working on, and that with what it has let go. */
  readonly held: ReadonlyMap<string, ReadonlySet<unknown>>
  readonly all: ReadonlyMap<string, ReadonlySet<unknown>>
  readonly generation: number
}

function readClaims({ owned, released, generation }: PlanMember): MemberClaims {
  const known = typeof generation === 'number' && generation >= 0
  return { held: byTopic(owned), all: byTopic(owned, released), generation: known ? generation : -1 }
}

function byTopic(...given: PlanMember['owned'][]): Map<string, Set<unknown>> {
  const result = new Map<string, Set<unknown>>()
  for (const claims of given) {
    if (!claims) continue
    const lists = Array.isArray(claims)
      ? claims.map(({ topic, partitions }) => [topic, partitions] as const)
      : Object.entries(claims)
    for (const [topic, ids] of lists) result.set(topic, new Set([...(result.get(topic) ?? []), ...ids]))
  }
  return result
}

function racksByPartition(spec: TopicSpec): Set<string>[] {
  if (typeof spec === 'number') return Array.from({ length: spec }, () => new Set<string>())
  return spec.map(racks => new Set(racks.filter(rack => rack !== null && rack !== '') as string[]))
}

function believed(claimants: readonly Member[], generationOf: (member: Member) => number): Member | null {
  const highest = Math.max(...claimants.map(generationOf))
  const newest = claimants.filter(member => generationOf(member) === highest)
  return newest.length === 1 ? newest[0]! : null
}

function doRacksMatter(members: readonly Member[], partitions: readonly Partition[]): boolean {
  const all = new Set(partitions.flatMap(({ racks }) => [...racks]))
  const someMemberIsThere = members.some(({ rackId, topics }) => rackId !== null && topics.size > 0 && all.has(rackId))
  return someMemberIsThere && partitions.some(({ racks }) => racks.size < all.size)
}

/**
 * Whether a partition would be fetched across racks. A member without a rack is near every partition, and a partition
 * of which no rack is known is near every member.
 */
export function isMismatch(group: OracleGroup, { racks }: Partition, { rackId }: Member): boolean {
  return group.racksMatter && rackId !== null && racks.size > 0 && !racks.has(rackId)
}
