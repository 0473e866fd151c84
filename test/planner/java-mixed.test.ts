/** Kafka's AbstractStickyAssignorTest, run for both assignors: members that subscribe different topics. */
import { describe, expect, test } from '@jest/globals'
import { plan } from '../../src/planner'
import { expectBestPlan } from './expect-best-plan'
import {
  afterwards,
  type JavaMember,
  javaGroup,
  loadsOf,
  planAndVerify,
  rackConfigs,
  type StickyStrategy,
  settle,
  waiting,
  wholePlan,
} from './java-tests'

const strategies = ['sticky', 'cooperative-sticky'] as const
const variants = strategies.flatMap(strategy => rackConfigs.map(config => [strategy, config] as const))
const numbered = <T>(prefix: string, from: number, to: number, of: (i: number) => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, i) => [`${prefix}${from + i}`, of(from + i)]))
const names = (prefix: string, from: number, to: number) => Object.keys(numbered(prefix, from, to, () => null))

/** A small generator, so that random groups are the same in each run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe.each(variants)('%s, %s', (strategy: StickyStrategy, config) => {
  const group = (topics: Record<string, number>, members: Record<string, JavaMember>) =>
    javaGroup(strategy, config, topics, members)

  test('testMultipleConsumersMixedTopicSubscriptions', () => {
    const members = { c1: { topics: ['t1'] }, c2: { topics: ['t1', 't2'] }, c3: { topics: ['t1'] } }
    const answer = planAndVerify(group({ t1: 3, t2: 2 }, members))
    expect(wholePlan(answer)).toEqual({ c1: 't1-0 t1-2', c2: 't2-0 t2-1', c3: 't1-1' })
  })

  test('testPoorRoundRobinAssignmentScenario', () => {
    const some = { topics: ['t1', 't3', 't5'] }
    const answer = planAndVerify(group({ t1: 2, t2: 1, t3: 2, t4: 1, t5: 2 }, { c1: {}, c2: some, c3: some, c4: {} }))
    expect(loadsOf(answer)).toEqual([2, 2, 2, 2])
  })

  test('testReassignmentAfterOneConsumerLeaves', () => {
    const members = numbered('c', 1, 19, i => ({ topics: names('t', 1, i) }))
    const request = group(
      numbered('t', 1, 19, i => i),
      members,
    )
    const first = planAndVerify(request)
    // Kafka's test removes "consumer10", which is not the name of any member. Here one leaves.
    planAndVerify(afterwards(request, first, { c10: null }))
  })

  test('testReassignmentAfterOneConsumerAdded', () => {
    const request = group(
      { t: 20 },
      numbered('c', 1, 9, () => ({})),
    )
    const first = planAndVerify(request)
    const joined = planAndVerify(afterwards(request, first, { c10: {} }))
    // Two of the nine had three.
    expect(joined.report).toMatchObject({ moved: strategy === 'sticky' ? 2 : 0, balance: { min: 2, max: 2 } })
  })

  test('testNewSubscription', () => {
    const members = { c0: { topics: [] }, c1: { topics: ['t1'] }, c2: { topics: ['t2', 't3', 't4'] } }
    const request = group({ t1: 1, t2: 1, t3: 1, t4: 1 }, members)
    const first = planAndVerify(request)
    const second = planAndVerify(afterwards(request, first, { c0: { topics: ['t1'] } }))
    expect(second.report).toMatchObject({ kept: 4, moved: 0, withheld: 0 })
  })

  test('testMoveExistingAssignments', () => {
    const answer = planAndVerify(
      group(
        numbered('t', 1, 6, () => 1),
        {
          c1: { topics: names('t', 1, 2), owned: { t1: [0] } },
          c2: { topics: names('t', 1, 4), owned: { t2: [0], t3: [0] } },
          c3: { topics: names('t', 2, 6), owned: { t4: [0], t5: [0], t6: [0] } },
        },
      ),
    )
    expect(wholePlan(answer)).toEqual({ c1: 't1-0 t2-0', c2: 't3-0 t4-0', c3: 't5-0 t6-0' })
  })

  const permutations = [
    [1, 2, 3],
    [1, 3, 2],
    [2, 1, 3],
    [2, 3, 1],
    [3, 1, 2],
    [3, 2, 1],
  ] as const
  test.each(permutations)(
    'testSubscriptionNotEqualAndAssignSamePartitionWith3Generation: %i %i %i',
    (first, second, third) => {
      const answer = planAndVerify(
        group(
          { t: 6, t1: 1 },
          {
            c1: { topics: ['t'], owned: { t: [0, 2] }, generation: first },
            c2: { topics: ['t'], owned: { t: [1, 2, 3] }, generation: second },
            c3: { topics: ['t'], owned: { t: [2, 4, 5] }, generation: third },
            c4: { topics: ['t1'], owned: { t1: [0] }, generation: 2 },
          },
        ),
      )
      const loads = Object.values(wholePlan(answer)).map(text => text.split(' ').length)
      expect(loads).toEqual([2, 2, 2, 1])
    },
  )

  test('testReassignmentWithRandomSubscriptionsAndChanges', () => {
    const random = randomFrom(7)
    for (let round = 0; round < 10; round++) {
      const topics = 10 + random(10)
      const consumers = 20 + random(20)
      const some = () => names('t', 0, topics - 1).filter(() => random(3) === 0)
      const counts = numbered('t', 0, topics - 1, i => i + 1)
      const request = group(
        counts,
        numbered('c', 0, consumers - 1, () => ({ topics: some() })),
      )
      const first = planAndVerify(request)
      planAndVerify(
        afterwards(
          request,
          first,
          numbered('c', 0, consumers - 1, () => ({ topics: some() })),
        ),
      )
    }
  })

  test('testLargeAssignmentWithMultipleConsumersLeavingAndRandomSubscription', () => {
    const random = randomFrom(11)
    const counts = numbered('t', 0, 39, () => 1 + random(10))
    const some = () => Array.from({ length: random(20) }, () => `t${random(40)}`)
    const request = group(
      counts,
      numbered('c', 0, 199, () => ({ topics: some() })),
    )
    const first = planAndVerify(request)
    const gone = Object.fromEntries(Array.from({ length: 50 }, () => [`c${random(200)}`, null]))
    planAndVerify(afterwards(request, first, gone))
  })

  test('testLargeAssignmentAndGroupWithNonEqualSubscription', () => {
    const members = numbered('c', 0, 199, i => (i === 199 ? { topics: ['t0'] } : {}))
    const request = group(
      numbered('t', 0, 49, () => 200),
      members,
    )
    const first = planAndVerify(request)
    expect(first.report.balance).toEqual({ min: 50, max: 50 })
    const second = planAndVerify(afterwards(request, first, { c0: null }))
    expect(settle(request, second).report.balance).toEqual({ min: 50, max: 51 })
  })

  test('testAssignmentAndGroupWithNonEqualSubscriptionNotTimeout', () => {
    const half = names('t', 0, 49)
    const members = numbered('c', 0, 199, i => ({ topics: i % 4 === 0 ? half : names('t', 50, 99) }))
    const request = group(
      numbered('t', 0, 99, () => 40),
      members,
    )
    const first = planAndVerify(request)
    expect(first.report.balance).toEqual({ min: 13, max: 40 })
    planAndVerify(afterwards(request, first, { c0: null }))
  })
})

describe('racks', () => {
  const counts = { t1: 6, t2: 7, t3: 2 }
  /** Partition p of all topics together has its replicas in the racks p, p + 1, … */
  const withReplicas = (replicas: number) => {
    let next = 0
    const place = () => {
      const first = next++
      return Array.from({ length: replicas }, (_, i) => `rack${(first + i) % 4}`)
    }
    return Object.fromEntries(Object.entries(counts).map(([t, n]) => [t, Array.from({ length: n }, place)]))
  }
  const misaligned = {
    c1: { t1: [0, 1, 2], t2: [3, 4] },
    c2: { t1: [3, 4], t2: [0, 1, 2] },
    c3: { t1: [5], t3: [0, 1] },
  }

  for (const third of [
    ['t1', 't2', 't3'],
    ['t1', 't3'],
  ]) {
    const title = third.length === 3 ? 'testRackAwareAssignmentWithUniformSubscription' : '…WithNonEqualSubscription'
    test.each([1, 2, 3, 4])(`${title}, %i replicas`, replicas => {
      for (const memberRacks of [
        ['rack0', 'rack1', 'rack2'],
        ['rack2', 'rack2', 'rack3'],
        [null, 'rack1', 'elsewhere'],
      ]) {
        for (const owned of [{ c1: {}, c2: {}, c3: {} }, misaligned]) {
          const members = (['c1', 'c2', 'c3'] as const).map((memberId, i) => ({
            memberId,
            topics: i === 2 ? third : ['t1', 't2', 't3'],
            owned: owned[memberId],
            generation: 1,
            rackId: memberRacks[i]!,
          }))
          const request = { strategy: 'cooperative-sticky' as const, topics: withReplicas(replicas), members }
          expectBestPlan({ ...request, strategy: 'sticky' })
          expect(settle(request, plan(request)).report.withheld).toBe(0)
        }
      }
    })
  }

  test('testUniformSubscriptionTransferOwnershipListIsRight', () => {
    const answer = plan({
      strategy: 'cooperative-sticky',
      topics: { t: [['rack0'], ['rack1'], ['rack0'], ['rack1']] },
      members: [
        { memberId: 'c0', topics: ['t'], owned: { t: [0, 1] }, generation: 1, rackId: 'rack0' },
        { memberId: 'c1', topics: ['t'], owned: { t: [2, 3] }, generation: 1, rackId: 'rack1' },
      ],
    })
    expect(waiting(answer)).toEqual({ c0: 't-2', c1: 't-1' })
  })
})
