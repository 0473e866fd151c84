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

interface Claim {
  readonly member: Member
  readonly generation: number
}

export function readOracleGroup(request: PlanRequest): OracleGroup {
  const topics = new Map(Object.entries(request.topics).map(([topic, spec]) => [topic, racksByPartition(spec)]))
  const members = new Map<PlanMember, Member>()
  for (const member of request.members) {
    const existing = member.topics.filter(topic => (topics.get(topic)?.length ?? 0) > 0)
    members.set(member, { memberId: member.memberId, topics: new Set(existing), rackId: member.rackId || null })
  }

  const partitions: Partition[] = []
  let outdatedClaims = 0
  for (const topic of [...topics.keys()].sort()) {
    const subscribers = [...members.values()].filter(member => member.topics.has(topic))
    if (subscribers.length === 0) continue
    topics.get(topic)!.forEach((racks, id) => {
      const claims: Claim[] = []
      for (const [raw, member] of members) {
        if (!subscribers.includes(member)) continue
        if (isClaimed(raw.owned, topic, id) || isClaimed(raw.released, topic, id))
          claims.push({ member, generation: generationOf(raw) })
      }
      const owner = believed(claims)
      outdatedClaims += claims.length - (owner ? 1 : 0)
      const holders = [...members].filter(([raw]) => isClaimed(raw.owned, topic, id)).map(([, member]) => member)
      partitions.push({ topic, id, subscribers, owner, holders, racks })
    })
  }
  return {
    members: [...members.values()],
    partitions,
    racksMatter: doRacksMatter([...members.values()], partitions),
    outdatedClaims,
  }
}

function racksByPartition(spec: TopicSpec): Set<string>[] {
  if (typeof spec === 'number') return Array.from({ length: spec }, () => new Set<string>())
  return spec.map(racks => new Set(racks.filter(rack => rack !== null && rack !== '') as string[]))
}

function generationOf({ generation }: PlanMember): number {
  return typeof generation === 'number' && generation >= 0 ? generation : -1
}

function isClaimed(claims: PlanMember['owned'], topic: string, id: number): boolean {
  if (!claims) return false
  const lists = Array.isArray(claims)
    ? claims
    : Object.entries(claims).map(([name, partitions]) => ({ topic: name, partitions }))
  return lists.some(list => list.topic === topic && list.partitions.includes(id))
}

function believed(claims: readonly Claim[]): Member | null {
  const highest = Math.max(...claims.map(claim => claim.generation))
  const newest = claims.filter(claim => claim.generation === highest)
  return newest.length === 1 ? newest[0]!.member : null
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
