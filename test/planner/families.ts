/** Families of random groups, as plan requests that JSON can say. */
import fc from 'fast-check'
import type { PlanMember, PlanRequest, TopicPartitions, TopicSpec } from '../../src/planner/types'
import { cheapestFlow } from './oracle'
import { readOracleGroup } from './oracle-group'

export interface Family {
  readonly subscriptions: 'uniform' | 'mixed'
  /** What the members owned: the best plan of a group that then changed, or anything. */
  readonly before: 'balanced' | 'arbitrary'
  readonly size: 'small' | 'medium'
  /** Stale, foreign, doubled and senseless claims. */
  readonly claims: 'clean' | 'dirty'
  readonly racks: boolean
}

export const families: readonly Family[] = (['uniform', 'mixed'] as const).flatMap(subscriptions =>
  (['balanced', 'arbitrary'] as const).flatMap(before =>
    (['small', 'medium'] as const).flatMap(size =>
      (['clean', 'dirty'] as const).flatMap(claims =>
        [false, true].map(racks => ({ subscriptions, before, size, claims, racks })),
      ),
    ),
  ),
)

export const nameOf = ({ subscriptions, before, size, claims, racks }: Family): string =>
  `${subscriptions}, ${before} before, ${size}, ${claims} claims${racks ? ', racks' : ''}`

interface TopicSeed {
  readonly count: number
  readonly added: number
  readonly racks: readonly (readonly string[])[] | null
}

interface MemberSeed {
  readonly life: 'stays' | 'joins' | 'leaves'
  /** For each topic a number; the topics of low ones are subscribed. */
  readonly interests: readonly number[]
  /** Null: it goes on as before. */
  readonly newInterests: readonly number[] | null
  readonly idle: boolean
  readonly generation: number | null
  readonly released: boolean
  readonly rackId: string | null
  readonly extra: readonly { readonly topic: string; readonly partition: unknown }[]
}

const topicNames = 't0 a __proto__ 10 constructor t10 t2 ü b.c A'.split(' ')
const memberNames = 'm1 m0 consumer-1-f00 B __proto__ a m10 m2 z toString 7 m-é c1 c0 c10 Z'.split(' ')

/** Plan requests of a family, for `sticky`. They shrink: to fewer topics, partitions, members and claims. */
export function requestsOf(family: Family): fc.Arbitrary<PlanRequest> {
  const [topics, members, partitions] = family.size === 'small' ? [4, 5, 6] : [10, 16, 14]
  return fc
    .record({
      topics: fc.array(topicSeeds(family, partitions), { minLength: 1, maxLength: topics, size: 'max' }),
      members: fc.array(memberSeeds(family, topics), { minLength: 1, maxLength: members, size: 'max' }),
      owners: listOf(fc.nat(members), topics * partitions),
      density: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ topics, members, owners, density }) => buildRequest(family, topics, members, owners, density))
}

const listOf = <T>(item: fc.Arbitrary<T>, length: number) => fc.array(item, { minLength: length, maxLength: length })

function topicSeeds({ racks }: Family, partitions: number): fc.Arbitrary<TopicSeed> {
  const rack = fc.constantFrom('r0', 'r1', 'r2')
  return fc.record({
    count: fc.integer({ min: 0, max: partitions - 2 }),
    added: fc.constantFrom(0, 0, 0, 1, 2),
    racks: racks
      ? fc.option(listOf(fc.uniqueArray(rack, { maxLength: 2 }), partitions), { freq: 8 })
      : fc.constant(null),
  })
}

function memberSeeds({ subscriptions, claims, racks }: Family, topics: number): fc.Arbitrary<MemberSeed> {
  const interests = subscriptions === 'uniform' ? fc.constant(new Array(topics).fill(0)) : listOf(fc.nat(3), topics)
  const dirty = claims === 'dirty'
  return fc.record({
    life: fc.constantFrom('stays', 'stays', 'stays', 'stays', 'joins', 'leaves'),
    interests,
    newInterests: fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: interests }),
    idle: fc.integer({ min: 0, max: 19 }).map(n => n === 19),
    generation: dirty ? fc.constantFrom(null, -1, 3, 4, 5) : fc.constant(5),
    released: dirty ? fc.boolean() : fc.constant(false),
    rackId: racks ? fc.constantFrom(null, 'r0', 'r1', 'r2', 'elsewhere', '') : fc.constant(null),
    extra: dirty ? fc.array(extraClaims, { maxLength: 6 }) : fc.constant([]),
  }) as fc.Arbitrary<MemberSeed>
}

const extraClaims = fc.record({
  topic: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...topicNames) },
    { weight: 1, arbitrary: fc.constant('gone') },
  ),
  partition: fc.oneof(
    { weight: 6, arbitrary: fc.nat(9) as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(-1, 1.5, null, '0', 1e9) },
  ),
})

function buildRequest(
  family: Family,
  topicSeeds: readonly TopicSeed[],
  memberSeeds: readonly MemberSeed[],
  owners: readonly number[],
  density: number,
): PlanRequest {
  const specs = (added: boolean): Record<string, TopicSpec> =>
    Object.fromEntries(
      topicSeeds.map((seed, t) => {
        const count = seed.count + (added ? seed.added : 0)
        return [topicNames[t]!, seed.racks ? seed.racks.slice(0, count) : count]
      }),
    )
  const subscription = (interests: readonly number[], idle: boolean) =>
    idle ? ['gone'] : topicNames.slice(0, topicSeeds.length).filter((_, t) => interests[t]! < density)
  const named = memberSeeds.map((seed, m) => ({ seed, memberId: memberNames[m]! }))
  const now: PlanMember[] = named
    .filter(({ seed }) => family.before === 'arbitrary' || seed.life !== 'leaves')
    .map(({ seed, memberId }) => ({
      memberId,
      topics: subscription(seed.newInterests ?? seed.interests, seed.idle),
      generation: seed.generation,
      rackId: seed.rackId,
    }))
  const then: PlanMember[] = named
    .filter(({ seed }) => seed.life !== 'joins')
    .map(({ seed, memberId }) => ({ memberId, topics: subscription(seed.interests, seed.idle), rackId: seed.rackId }))

  const owned =
    family.before === 'balanced'
      ? bestClaims({ strategy: 'sticky', topics: specs(false), members: then })
      : arbitraryClaims(specs(true), now, owners)
  const extra = new Map(named.map(({ seed, memberId }) => [memberId, seed.extra]))
  const released = new Map(named.map(({ seed, memberId }) => [memberId, seed.released]))
  return {
    strategy: 'sticky',
    topics: specs(true),
    members: now.map(member => {
      const dirt = extra
        .get(member.memberId)!
        .map(({ topic, partition }) => ({ topic, partitions: [partition as number] }))
      const claims = [...(owned.get(member.memberId) ?? []), ...dirt]
      return { ...member, [released.get(member.memberId) ? 'released' : 'owned']: claims }
    }),
  }
}

function bestClaims(request: PlanRequest): Map<string, TopicPartitions[]> {
  const group = readOracleGroup(request)
  const claims = new Map<string, TopicPartitions[]>()
  cheapestFlow(group).forEach(({ memberId }, i) => {
    const { topic, id } = group.partitions[i]!
    claims.set(memberId, [...(claims.get(memberId) ?? []), { topic, partitions: [id] }])
  })
  return claims
}

/** Any subscriber or nobody; low numbers are drawn more often, so that some members own much more than others. */
function arbitraryClaims(
  topics: Record<string, TopicSpec>,
  members: readonly PlanMember[],
  owners: readonly number[],
): Map<string, TopicPartitions[]> {
  const claims = new Map<string, TopicPartitions[]>()
  let next = 0
  for (const [topic, spec] of Object.entries(topics)) {
    const subscribers = members.filter(member => member.topics.includes(topic))
    for (let id = 0; id < (typeof spec === 'number' ? spec : spec.length); id++) {
      const owner = subscribers[owners[next++]! % (subscribers.length + 1)]
      if (owner) claims.set(owner.memberId, [...(claims.get(owner.memberId) ?? []), { topic, partitions: [id] }])
    }
  }
  return claims
}
