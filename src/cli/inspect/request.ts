import type { LiveGroup, LiveMember } from '../../cluster'
import type { PartitionsByTopic, Strategy } from '../../dry-run'
import type { TopicSpec } from '../../planner/types'
import { canonicalPartitions, claimsOf, decodeSubscription, type TopicPartitions } from '../../protocol'
import { partitionsByTopic } from '../../report/topics'

/** A request of `plan`, as JSON writes it. One that was read from a file has been checked by then. */
export interface RequestJson {
  readonly strategy: Strategy
  readonly topics: Readonly<Record<string, TopicSpec>>
  readonly members: readonly MemberJson[]
  readonly reasons?: boolean
}

export interface MemberJson {
  readonly memberId: string
  readonly topics?: readonly string[]
  readonly owned?: unknown
  readonly released?: unknown
  readonly generation?: number | null
  readonly rackId?: string | null
  readonly metadata?: string | null
}

/**
 * What the next leader is told if nobody changes anything: each member claims its assignment, whatever it claimed when
 * it last joined. A member whose claims could not be read then cannot be read the next time either.
 */
export function currentRequest(group: LiveGroup, strategy: Strategy): RequestJson {
  const generation = nextGeneration(group.members)
  return {
    strategy,
    topics: existingTopics(group),
    members: group.members.map(({ memberId, subscription, claims, assignment }) => ({
      memberId,
      topics: subscription.topics,
      owned: claims.problem ? {} : byTopic(assignment.partitions),
      generation: claims.problem ? null : generation,
      rackId: subscription.rackId || null,
    })),
  }
}

/** What the last leader was told: the members' own bytes. */
export function joinedRequest(group: LiveGroup, strategy: Strategy): RequestJson {
  return {
    strategy,
    topics: existingTopics(group),
    members: group.members.map(({ memberId, metadata }) => ({
      memberId,
      metadata: Buffer.from(metadata).toString('base64'),
    })),
  }
}

/** Brokers do not tell a group's generation; it is above those that members told when they joined. */
function nextGeneration(members: readonly LiveMember[]): number | null {
  const told = members.flatMap(({ subscription: { generationId }, claims: { generation } }) =>
    [generationId, generation].filter(each => each !== null),
  )
  return told.length === 0 ? null : told.reduce((a, b) => Math.max(a, b)) + 1
}

/** Partition counts of the topics that exist. */
export function existingTopics({ topics }: LiveGroup): Record<string, number> {
  const existing = topics.filter(({ partitions }) => partitions > 0)
  return Object.fromEntries(existing.map(({ topic, partitions }) => [topic, partitions]))
}

/** As an object that JSON can write, with `__proto__` a topic like any other. */
export function byTopic(list: readonly TopicPartitions[]): PartitionsByTopic {
  return Object.fromEntries(Object.entries(partitionsByTopic(list)))
}

export function partitionCount(spec: TopicSpec): number {
  return typeof spec === 'number' ? spec : spec.length
}

/** What a member of a request subscribes and claims, whichever way it says so. Ids that are no partitions are left out. */
export function readMember(
  member: MemberJson,
  strategy: Strategy,
): { topics: readonly string[]; claims: readonly TopicPartitions[] } {
  if (typeof member.metadata === 'string') {
    const subscription = decodeSubscription(Buffer.from(member.metadata, 'base64'))
    const { owned, released } = claimsOf(subscription, strategy)
    return { topics: subscription.topics, claims: canonicalPartitions([...owned, ...released]) }
  }
  const claims = [...listed(member.owned), ...listed(member.released)]
  return { topics: member.topics ?? [], claims: canonicalPartitions(claims) }
}

function listed(claims: unknown): readonly TopicPartitions[] {
  if (Array.isArray(claims)) return claims as TopicPartitions[]
  const entries = Object.entries((claims ?? {}) as Record<string, readonly number[]>)
  return entries.map(([topic, partitions]) => ({ topic, partitions }))
}
