/** What holds for every plan, over the same random groups as the comparison with the oracle. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { plan } from '../../src/planner'
import { nextRequest } from '../../src/planner/testing/notation'
import type { Claims, Plan, PlanMember, PlanRequest, Strategy, TopicPartitions } from '../../src/planner/types'
import { expectValid } from './expect-best-plan'
import { families, nameOf, requestsOf } from './families'
import { cheapestFlow, compareScores, scoreOf } from './oracle'
import { type OracleGroup, readOracleGroup } from './oracle-group'
import { recipeByHand } from './recipe-by-hand'
import { forAllRequests } from './run-property'

const perFamily = 25

/** What the answer says, without the examples of rejected claims: those are the first in the order given. */
function everythingOf(answer: Plan): unknown {
  const { rejectedClaims, ...report } = answer.report
  const rejected = rejectedClaims.map(({ memberId, topic, reason, count }) => ({ memberId, topic, reason, count }))
  const lists = (of: (id: string) => TopicPartitions[]) => answer.memberIds.map(id => [id, of(id)])
  return {
    report,
    rejected,
    assignment: lists(id => answer.assignment(id)),
    withheld: lists(id => answer.withheld(id)),
    revoked: lists(id => answer.revoked(id)),
    reasons: answer.reasons(),
  }
}

function shuffle(request: PlanRequest, random: () => number): PlanRequest {
  const mixed = <T>(list: readonly T[]): T[] =>
    list
      .map(item => ({ item, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item)
  const claims = (given: Claims | undefined): TopicPartitions[] =>
    mixed(given as TopicPartitions[]).map(({ topic, partitions }) => ({ topic, partitions: mixed(partitions) }))
  return {
    ...request,
    topics: Object.fromEntries(mixed(Object.entries(request.topics))),
    members: mixed(request.members).map(member => ({
      ...member,
      topics: mixed(member.topics),
      ...(member.owned ? { owned: claims(member.owned) } : { released: claims(member.released) }),
    })),
  }
}

/** A small generator of its own, so that a failure repeats. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const cooperative = (request: PlanRequest): PlanRequest => ({ ...request, strategy: 'cooperative-sticky' })

/** Same order of lists everywhere, so that JSON may be compared. */
const assignmentOf = (answer: Plan) => answer.memberIds.map(id => [id, answer.assignment(id)])

function isUniform(group: OracleGroup): boolean {
  return new Set(group.members.filter(m => m.topics.size > 0).map(m => [...m.topics].sort().join())).size <= 1
}

describe.each(families.map(family => [nameOf(family), family] as const))('%s', (_, family) => {
  const requests = requestsOf(family)

  test('the order of members, topics and claims changes nothing', () => {
    forAllRequests(requests, perFamily, request => {
      const expected = everythingOf(plan(request))
      for (const seed of [1, 2]) expect(everythingOf(plan(shuffle(request, randomFrom(seed))))).toEqual(expected)
    })
  })

  test('planning its own output moves nothing', () => {
    forAllRequests(requests, perFamily, request => {
      const first = plan(request)
      const second = plan(nextRequest(request, first))
      expect(assignmentOf(second)).toEqual(assignmentOf(first))
      expect(second.report).toMatchObject({ moved: 0, transferred: 0, minimumMoves: 0, rejectedClaims: [] })
    })
  })

  test('lists ascend, and kept, moved and revoked add up', () => {
    forAllRequests(requests, perFamily, request => {
      for (const answer of [plan(request), plan(cooperative(request))]) {
        for (const id of answer.memberIds) {
          for (const lists of [answer.assignment(id), answer.withheld(id), answer.revoked(id)]) {
            expect(lists.map(({ topic }) => topic)).toEqual([...new Set(lists.map(({ topic }) => topic))].sort())
            for (const { partitions } of lists) {
              expect(partitions).toEqual([...new Set(partitions)].sort((a, b) => a - b))
              expect(partitions.length).toBeGreaterThan(0)
            }
          }
        }
        const { report } = answer
        expect(report.kept + report.moved + report.withheld).toBe(report.partitions)
        expect(report.transferred + report.unclaimed).toBe(report.moved)
        expect(report.changes.map(({ memberId }) => memberId)).toEqual(answer.memberIds)
        for (const { memberId, assigned, kept, gained, lost } of report.changes) {
          const count = (lists: TopicPartitions[]) => lists.reduce((sum, { partitions }) => sum + partitions.length, 0)
          expect(assigned).toBe(count(answer.assignment(memberId)))
          expect(kept + gained).toBe(assigned)
          expect(lost).toBe(count(answer.revoked(memberId)))
        }
        expect(answer.reasons()).toHaveLength(report.moved + report.withheld)
      }
    })
  })

  test('a cooperative group stands still after two rounds, and nobody is given what another may be working on', () => {
    forAllRequests(requests, perFamily, request => {
      const group = readOracleGroup(request)
      const first = plan(cooperative(request))
      const intended = expectValid(group, first)
      expect(assignmentOf(plan(request))).toEqual(
        first.memberIds.map(id => [
          id,
          listed(
            group,
            group.partitions.filter((_, i) => intended[i]!.memberId === id),
          ),
        ]),
      )
      group.partitions.forEach(({ topic, id, owner, holders }, i) => {
        const given = first
          .assignment(intended[i]!.memberId)
          .some(of => of.topic === topic && of.partitions.includes(id))
        const free = holders.every(holder => holder === intended[i])
        expect(given).toBe(free || owner === intended[i])
      })

      const next = nextRequest(cooperative(request), first)
      const second = plan(next)
      expect(second.report).toMatchObject({ withheld: 0, transferred: 0, moved: first.report.withheld })
      expectValid(readOracleGroup(next), second)
      expect(plan(nextRequest(next, second)).report).toMatchObject({ withheld: 0, moved: 0 })
    })
  })

  if (family.subscriptions === 'uniform' && !family.racks) {
    test('moves are those of the closed form', () => {
      forAllRequests(requests, perFamily, request => {
        const group = readOracleGroup(request)
        const members = group.members.filter(({ topics }) => topics.size > 0)
        if (members.length === 0) return
        const share = Math.floor(group.partitions.length / members.length)
        const owned = members.map(member => group.partitions.filter(({ owner }) => owner === member).length)
        const excess = owned.reduce((sum, count) => sum + Math.max(0, count - share - 1), 0)
        const ceilings = Math.max(
          0,
          owned.filter(count => count > share).length - (group.partitions.length % members.length),
        )
        const unowned = group.partitions.filter(({ owner }) => owner === null).length
        expect(plan(request).report.minimumMoves).toBe(excess + ceilings + unowned)
      })
    })

    test('the recipe is the answer: always on one topic, and on several where it is the best', () => {
      forAllRequests(requests, perFamily, request => {
        const several = readOracleGroup(request)
        if (several.partitions.length > 0 && isUniform(several)) {
          const recipe = recipeByHand(several)
          const best = scoreOf(several, cheapestFlow(several))
          if (compareScores(scoreOf(several, recipe), best) === 0)
            expect(expectValid(several, plan(request))).toEqual(recipe)
        }
        for (const [topic, spec] of Object.entries(request.topics)) {
          const onOne = { ...request, topics: Object.fromEntries([[topic, spec]]) }
          const group = readOracleGroup(onOne)
          if (group.partitions.length > 0) expect(expectValid(group, plan(onOne))).toEqual(recipeByHand(group))
        }
      })
    })
  }
})

function listed(group: OracleGroup, partitions: OracleGroup['partitions']): TopicPartitions[] {
  const topics = [...new Set(group.partitions.map(({ topic }) => topic))]
  return topics
    .map(topic => ({ topic, partitions: partitions.filter(p => p.topic === topic).map(({ id }) => id) }))
    .filter(({ partitions: ids }) => ids.length > 0)
}

describe('garbage', () => {
  const anything = fc.anything({ maxDepth: 2, withBigInt: true, withNullPrototype: true, withTypedArray: true })
  const lists = fc.array(fc.oneof(fc.integer({ min: -2, max: 9 }), anything), { maxLength: 6 })
  const topic = fc.constantFrom('t', 'u', '__proto__', 'gone')
  const claims = fc.oneof(
    fc.array(fc.oneof(fc.record({ topic, partitions: fc.oneof(lists, anything) }), anything), { maxLength: 4 }),
    fc.dictionary(topic, fc.oneof(lists, anything)),
    anything,
  )
  const member = fc.record({
    topics: fc.subarray(['t', 'u', '__proto__', 'gone']),
    owned: claims,
    released: claims,
    generation: fc.oneof(fc.integer({ min: -3, max: 5 }), anything),
    rackId: fc.constantFrom(null, undefined, '', 'r1'),
    instanceId: fc.constantFrom(null, undefined, '', 'i'),
  }) as unknown as fc.Arbitrary<PlanMember>

  test('no claim makes a strategy throw or leave a partition out', () => {
    const strategies: Strategy[] = ['sticky', 'cooperative-sticky', 'range', 'roundrobin', 'kafka-sticky']
    fc.assert(
      fc.property(fc.array(member, { maxLength: 5 }), members => {
        const request = {
          topics: Object.fromEntries([
            ['t', 5],
            ['u', 3],
            ['__proto__', 2],
          ]),
          members: members.map((given, m) => ({ ...given, memberId: `m${m}` })),
        }
        for (const strategy of strategies) {
          const { report } = plan({ strategy, ...request })
          const subscribed = new Set(members.flatMap(({ topics }) => topics))
          const partitions =
            (subscribed.has('t') ? 5 : 0) + (subscribed.has('u') ? 3 : 0) + (subscribed.has('__proto__') ? 2 : 0)
          expect(report.kept + report.moved + report.withheld).toBe(partitions)
        }
      }),
      { numRuns: 400, seed: 20_261_130 },
    )
  })
})
