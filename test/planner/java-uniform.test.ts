/** Kafka's AbstractStickyAssignorTest, run for both assignors: members that subscribe the same topics. */
import { describe, expect, test } from '@jest/globals'
import type { Plan } from '../../src/planner/types'
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

const variants = (['sticky', 'cooperative-sticky'] as const).flatMap(strategy =>
  rackConfigs.map(config => [strategy, config] as const),
)

describe.each(variants)('%s, %s', (strategy: StickyStrategy, config) => {
  const group = (topics: Record<string, number>, members: Record<string, JavaMember>) =>
    javaGroup(strategy, config, topics, members)
  const verify = (topics: Record<string, number>, members: Record<string, JavaMember>) =>
    planAndVerify(group(topics, members))
  /** What has to change hands first: only where members go on while the group rebalances. */
  const expectWaiting = (answer: Plan, expected: Record<string, string>) =>
    expect(waiting(answer)).toEqual(strategy === 'sticky' ? {} : expected)

  test('testOneConsumerNoTopic', () => {
    expect(wholePlan(verify({ t: 3 }, { c1: { topics: [] } }))).toEqual({ c1: '' })
  })

  test('testOneConsumerNonexistentTopic', () => {
    const answer = verify({ t: 0 }, { c1: {} })
    expect(wholePlan(answer)).toEqual({ c1: '' })
    expect(answer.report.missingTopics).toEqual(['t'])
  })

  test('testOneConsumerOneTopic', () => {
    expect(wholePlan(verify({ t: 3 }, { c1: {} }))).toEqual({ c1: 't-0 t-1 t-2' })
  })

  test('testOnlyAssignsPartitionsFromSubscribedTopics', () => {
    const c1 = { topics: ['t'], owned: { t: [0, 1], other: [0, 1] } }
    expect(wholePlan(verify({ t: 2, other: 3 }, { c1 }))).toEqual({ c1: 't-0 t-1' })
  })

  test('testOneConsumerMultipleTopics', () => {
    expect(wholePlan(verify({ t1: 1, t2: 2 }, { c1: {} }))).toEqual({ c1: 't1-0 t2-0 t2-1' })
  })

  test('testTwoConsumersOneTopicOnePartition', () => {
    expect(loadsOf(verify({ t: 1 }, { c1: {}, c2: {} })).sort()).toEqual([0, 1])
  })

  test('testTwoConsumersOneTopicTwoPartitions', () => {
    expect(wholePlan(verify({ t: 2 }, { c1: {}, c2: {} }))).toEqual({ c1: 't-0', c2: 't-1' })
  })

  test('testTwoConsumersTwoTopicsSixPartitions', () => {
    expect(wholePlan(verify({ t1: 3, t2: 3 }, { c1: {}, c2: {} }))).toEqual({
      c1: 't1-0 t1-2 t2-1',
      c2: 't1-1 t2-0 t2-2',
    })
  })

  test('testConsumerOwningMinQuotaExpectedMaxQuota', () => {
    const answer = verify(
      { t1: 2, t2: 3 },
      { c1: { owned: { t1: [0], t2: [1] } }, c2: { owned: { t1: [1], t2: [2] } } },
    )
    expect(wholePlan(answer)).toEqual({ c1: 't1-0 t2-0 t2-1', c2: 't1-1 t2-2' })
    expectWaiting(answer, {})
  })

  test('testMaxQuotaConsumerMoreThanNumExpectedMaxCapacityMembers', () => {
    const answer = verify(
      { t1: 2, t2: 2 },
      { c1: { owned: { t1: [0], t2: [0] } }, c2: { owned: { t1: [1], t2: [1] } }, c3: {} },
    )
    // Kafka lets c2 keep both and takes t2-0 from c1: it goes by hash order, the recipe by id.
    expect(wholePlan(answer)).toEqual({ c1: 't1-0 t2-0', c2: 't1-1', c3: 't2-1' })
    expectWaiting(answer, { c3: 't2-1' })
  })

  test('testAllConsumersAreUnderMinQuota', () => {
    const answer = verify({ t1: 2, t2: 3 }, { c1: { owned: { t1: [0] } }, c2: { owned: { t1: [1] } }, c3: {} })
    expect(wholePlan(answer)).toEqual({ c1: 't1-0 t2-1', c2: 't1-1 t2-2', c3: 't2-0' })
    expectWaiting(answer, {})
  })

  test('testAddRemoveConsumerOneTopic', () => {
    const alone = group({ t: 3 }, { c1: {} })
    const both = afterwards(alone, planAndVerify(alone), { c2: {} })
    const joined = planAndVerify(both)
    expect(wholePlan(joined)).toEqual({ c1: 't-0 t-1', c2: 't-2' })
    expectWaiting(joined, { c2: 't-2' })
    expect(wholePlan(planAndVerify(afterwards(both, joined, { c1: null })))).toEqual({ c2: 't-0 t-1 t-2' })
  })

  test('testTopicBalanceAfterReassignment', () => {
    let request = group({ t1: 12, t2: 12 }, { c1: {} })
    const expectPerTopic = (answer: Plan, count: number) => {
      for (const id of answer.memberIds) {
        expect(answer.assignment(id).map(({ partitions }) => partitions.length)).toEqual([count, count])
      }
    }
    expectPerTopic(planAndVerify(request), 12)
    for (const [changes, count] of [
      [{ c2: {} }, 6],
      [{ c3: {}, c4: {} }, 3],
      [{ c1: null, c2: null }, 6],
    ] as const) {
      request = afterwards(request, planAndVerify(request), changes)
      expectPerTopic(settle(request, planAndVerify(request)), count)
    }
  })

  test('testAddRemoveTwoConsumersTwoTopics', () => {
    const two = group({ t1: 3, t2: 4 }, { c1: {}, c2: {} })
    const first = planAndVerify(two)
    expect(wholePlan(first)).toEqual({ c1: 't1-0 t1-2 t2-1 t2-3', c2: 't1-1 t2-0 t2-2' })
    const four = afterwards(two, first, { c3: {}, c4: {} })
    const second = planAndVerify(four)
    expect(wholePlan(second)).toEqual({ c1: 't1-0 t2-1', c2: 't1-1 t2-0', c3: 't1-2 t2-3', c4: 't2-2' })
    expectWaiting(second, { c3: 't1-2 t2-3', c4: 't2-2' })
    const last = planAndVerify(afterwards(four, second, { c1: null, c2: null }))
    // Kafka deals the free ones in turn, beginning with c3; the recipe gives to the member that has the fewest.
    expect(wholePlan(last)).toEqual({ c3: 't1-1 t1-2 t2-1 t2-3', c4: 't1-0 t2-0 t2-2' })
  })

  test('testAddRemoveTopicTwoConsumers', () => {
    const one = group({ t1: 3 }, { c1: {}, c2: {} })
    const first = planAndVerify(one)
    const withBoth = { ...afterwards(one, first, { c1: { topics: ['t1', 't2'] }, c2: { topics: ['t1', 't2'] } }) }
    const topics = group({ t1: 3, t2: 3 }, {}).topics
    const both = { ...withBoth, topics }
    const second = planAndVerify(both)
    expect(loadsOf(second)).toEqual([3, 3])
    expect(second.report).toMatchObject({ kept: 3, transferred: 0, withheld: 0 })
    const third = planAndVerify({ ...afterwards(both, second), topics: group({ t2: 3 }, {}).topics })
    expect(loadsOf(third).sort()).toEqual([1, 2])
    expect(third.report).toMatchObject({ kept: 3, moved: 0 })
  })

  test('testSameSubscriptions', () => {
    const topics = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`t${i + 1}`, i + 1]))
    const request = group(topics, Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`c${i + 1}`, {}])))
    const left = planAndVerify(afterwards(request, planAndVerify(request), { c5: null }))
    expect(left.report).toMatchObject({ transferred: 0, withheld: 0, balance: { min: 15, max: 15 } })
  })

  test('testStickiness', () => {
    const request = group({ t: 3 }, { c1: {}, c2: {}, c3: {}, c4: {} })
    const first = planAndVerify(request)
    const left = planAndVerify(afterwards(request, first, { c1: null }))
    expect(loadsOf(left)).toEqual([1, 1, 1])
    expect(left.report).toMatchObject({ transferred: 0, withheld: 0 })
  })

  test('testAssignmentUpdatedForDeletedTopic', () => {
    const c1 = { topics: ['t1', 't2', 't3'] }
    expect(loadsOf(verify({ t1: 1, t3: 100 }, { c1 }))).toEqual([101])
  })

  test('testNoExceptionThrownWhenOnlySubscribedTopicDeleted', () => {
    const request = group({ t: 3 }, { c1: {} })
    const gone = { ...afterwards(request, planAndVerify(request)), topics: {} }
    expect(wholePlan(planAndVerify(gone))).toEqual({ c1: '' })
  })

  test('testAllConsumersReachExpectedQuotaAndAreConsideredFilled', () => {
    const answer = verify({ t: 4 }, { c1: { owned: { t: [0, 1] } }, c2: { owned: { t: [2] } }, c3: {} })
    expect(wholePlan(answer)).toEqual({ c1: 't-0 t-1', c2: 't-2', c3: 't-3' })
    expectWaiting(answer, {})
  })

  test.each([9, -1])(
    'testOwnedPartitionsAreInvalidatedForConsumerWithStaleGeneration, …WithNoGeneration (%i)',
    stale => {
      const owned = { t1: [0, 2], t2: [1] }
      const answer = verify({ t1: 3, t2: 3 }, { c1: { owned, generation: 10 }, c2: { owned, generation: stale } })
      expect(wholePlan(answer)).toEqual({ c1: 't1-0 t1-2 t2-1', c2: 't1-1 t2-0 t2-2' })
      expectWaiting(answer, {})
    },
  )

  test('testPartitionsTransferringOwnershipIncludeThePartitionClaimedByMultipleConsumersInSameGeneration', () => {
    const answer = verify({ t: 3 }, { c1: { owned: { t: [0, 1] } }, c2: { owned: { t: [0, 2] } }, c3: {} })
    expect(wholePlan(answer)).toEqual({ c1: 't-1', c2: 't-2', c3: 't-0' })
    expectWaiting(answer, { c3: 't-0' })
  })

  test('testEnsurePartitionsAssignedToHighestGeneration', () => {
    const answer = verify(
      { t1: 3, t2: 3, t3: 3 },
      {
        c1: { owned: { t1: [0], t2: [0], t3: [0] }, generation: 10 },
        c2: { owned: { t1: [1], t2: [1], t3: [1] }, generation: 9 },
        c3: { owned: { t2: [1], t3: [0, 2] }, generation: 8 },
      },
    )
    expect(wholePlan(answer)).toEqual({ c1: 't1-0 t2-0 t3-0', c2: 't1-1 t2-1 t3-1', c3: 't1-2 t2-2 t3-2' })
  })

  test('testNoReassignmentOnCurrentMembers', () => {
    const answer = verify(
      { t1: 3, t2: 3, t3: 3, t4: 3 },
      {
        c1: { generation: -1 },
        c2: { owned: { t1: [0], t2: [0], t3: [0] }, generation: 9 },
        c3: { owned: { t1: [1], t2: [1], t3: [1] }, generation: 8 },
        c4: { owned: { t1: [2], t2: [2], t3: [2] }, generation: 7 },
      },
    )
    expect(wholePlan(answer)).toMatchObject({ c1: 't4-0 t4-1 t4-2', c2: 't1-0 t2-0 t3-0' })
    expect(answer.report).toMatchObject({ kept: 9, moved: 3, withheld: 0 })
  })

  test('testNoReassignmentOnCurrentMembersWithMultipleGeneration', () => {
    const answer = verify(
      { t1: 3, t2: 3, t3: 3 },
      {
        c1: { owned: { t1: [0], t2: [0], t3: [0] }, generation: 10 },
        c2: {},
        c3: { owned: { t1: [2], t2: [2], t3: [2] }, generation: 8 },
      },
    )
    expect(wholePlan(answer)).toEqual({ c1: 't1-0 t2-0 t3-0', c2: 't1-1 t2-1 t3-1', c3: 't1-2 t2-2 t3-2' })
  })

  test('testLargeAssignmentAndGroupWithUniformSubscription', () => {
    const topics = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`t${i}`, 200]))
    const members = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`c${i}`, {}]))
    const request = group(topics, members)
    const first = planAndVerify(request)
    expect(first.report.balance).toEqual({ min: 50, max: 50 })
    // As in Kafka's test, one member has lost all it had.
    const again = afterwards(request, first)
    const members2 = again.members.map((member, i) => (i === 0 ? { ...member, owned: {}, released: {} } : member))
    const second = planAndVerify({ ...again, members: members2 })
    expect(second.report).toMatchObject({ kept: 9950, moved: 50, withheld: 0, balance: { min: 50, max: 50 } })
  })
})
