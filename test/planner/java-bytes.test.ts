/**
 * Kafka's StickyAssignorTest and CooperativeStickyAssignorTest: what is special to one of them. Members are given by
 * the bytes that Java clients send.
 */
import { describe, expect, test } from '@jest/globals'
import { planRequest } from '../../src/dry-run'
import {
  encodeCooperativeUserData,
  encodeStickyUserData,
  encodeSubscription,
  type TopicPartitions,
} from '../../src/protocol'
import { writeStickyUserData } from '../../src/protocol/user-data'

interface Bytes {
  topics?: string[]
  version?: 0 | 1 | 2 | 3
  userData?: Uint8Array | null
  owned?: Record<string, number[]>
  generation?: number | null
}

const lists = (owned: Record<string, number[]>): TopicPartitions[] =>
  Object.entries(owned).map(([topic, partitions]) => ({ topic, partitions }))

function metadata({ topics = ['t'], version = 3, userData = null, owned = {}, generation = null }: Bytes): string {
  const fields = { version, topics, userData, ownedPartitions: lists(owned), generationId: generation }
  return Buffer.from(encodeSubscription(fields)).toString('base64')
}

/** A Java member as it sends its claims under `sticky`: in the userData, and since 2.4 in ownedPartitions too. */
const stickyMember = (owned: Record<string, number[]>, generation: number, version: Bytes['version'] = 3): Bytes => ({
  version,
  userData: encodeStickyUserData(lists(owned), generation),
  owned: version === 0 ? {} : owned,
  generation,
})

function plan(strategy: string, topics: Record<string, number>, members: Record<string, Bytes>) {
  return planRequest({
    strategy,
    topics,
    members: Object.entries(members).map(([memberId, bytes]) => ({
      memberId,
      metadata: metadata({ topics: Object.keys(topics), ...bytes }),
    })),
  })
}

/** The assignment as claims of the next request. */
const given = (answer: ReturnType<typeof plan>, id: string) => answer.assignment[id] as Record<string, number[]>
const loads = (answer: ReturnType<typeof plan>) =>
  Object.values(answer.assignment).map(byTopic => Object.values(byTopic).flat().length)

describe('StickyAssignorTest', () => {
  test('testAllConsumersHaveOwnedPartitionInvalidated…WithEqualPartitionsPerConsumer', () => {
    const c = { c1: stickyMember({ t: [0, 1] }, 1), c2: stickyMember({ t: [0, 2] }, 1), c3: stickyMember({}, 1) }
    expect(plan('sticky', { t: 3 }, c).assignment).toEqual({ c1: { t: [1] }, c2: { t: [2] }, c3: { t: [0] } })
  })

  test('testAllConsumersHaveOwnedPartitionInvalidated…WithUnequalPartitionsPerConsumer', () => {
    const c = { c1: stickyMember({ t: [0, 1] }, 1), c2: stickyMember({ t: [0, 2] }, 1), c3: stickyMember({}, 1) }
    expect(plan('sticky', { t: 4 }, c).assignment).toEqual({ c1: { t: [1, 3] }, c2: { t: [2] }, c3: { t: [0] } })
  })

  test('testAssignmentWithMultipleGenerations1', () => {
    const topics = { t: 6, u: 6 }
    const first = plan('sticky', topics, { c1: {}, c2: {}, c3: {} })
    expect(loads(first)).toEqual([4, 4, 4])
    const second = plan('sticky', topics, {
      c1: stickyMember(given(first, 'c1'), 1),
      c2: stickyMember(given(first, 'c2'), 1),
    })
    expect(loads(second)).toEqual([6, 6])
    expect(second.transferred).toBe(0)
    const third = plan('sticky', topics, {
      c2: stickyMember(given(second, 'c2'), 2),
      c3: stickyMember(given(first, 'c3'), 1),
    })
    expect(loads(third)).toEqual([6, 6])
    expect(given(third, 'c2')).toEqual(given(second, 'c2'))
    expect(third.transferred).toBe(0)
  })

  test('testAssignmentWithMultipleGenerations2', () => {
    const topics = { t: 4, u: 4, v: 4 }
    const first = plan('sticky', topics, { c1: {}, c2: {}, c3: {} })
    const second = plan('sticky', topics, { c2: stickyMember(given(first, 'c2'), 1) })
    expect(loads(second)).toEqual([12])
    const third = plan('sticky', topics, {
      c1: stickyMember(given(first, 'c1'), 1),
      c2: stickyMember(given(second, 'c2'), 2),
      c3: stickyMember(given(first, 'c3'), 1),
    })
    expect(loads(third)).toEqual([4, 4, 4])
    expect(third).toMatchObject({ kept: 4, transferred: 8 })
  })

  test('testAssignmentWithConflictingPreviousGenerations', () => {
    const answer = plan(
      'sticky',
      { t: 6, u: 6 },
      {
        c1: stickyMember({ t: [0, 1, 4], u: [0] }, 1),
        c2: stickyMember({ t: [0, 2], u: [1, 2] }, 2),
        c3: stickyMember({ t: [3, 4], u: [3, 5] }, 2),
      },
    )
    expect(loads(answer)).toEqual([4, 4, 4])
    expect(answer.assignment).toMatchObject({ c2: { t: [0, 2], u: [1, 2] }, c3: { t: [3, 4], u: [3, 5] } })
    expect(answer.rejectedClaims).toMatchObject([{ memberId: 'c1', reason: 'older-generation', count: 2 }])
  })

  test('testSchemaBackwardCompatibility', () => {
    const old = { version: 0 as const, userData: writeStickyUserData(lists({ t: [1] }), null, 'v0') }
    const answer = plan('sticky', { t: 3 }, { c1: stickyMember({ t: [0, 2] }, 1), c2: old, c3: stickyMember({}, 1) })
    expect(answer.assignment).toEqual({ c1: { t: [0] }, c2: { t: [1] }, c3: { t: [2] } })
  })

  test('testMemberDataWithInconsistentData: the partitions of the userData count', () => {
    const member = { ...stickyMember({ t: [1] }, 1), owned: { t: [0] } }
    const answer = plan('sticky', { t: 2 }, { c1: member, c2: {} })
    expect(given(answer, 'c1')).toEqual({ t: [1] })
    expect(answer.kept).toBe(1)
  })

  test('testMemberDataWillHonorUserData: so does its generation', () => {
    const newer = { ...stickyMember({ t: [0, 1] }, 0), generation: 9 }
    const answer = plan('sticky', { t: 2 }, { c1: newer, c2: stickyMember({ t: [1] }, 1) })
    expect(answer.assignment).toEqual({ c1: { t: [0] }, c2: { t: [1] } })
    expect(answer.rejectedClaims).toMatchObject([{ memberId: 'c1', reason: 'older-generation', count: 1 }])
  })

  test('testAssignorWithOldVersionSubscriptions', () => {
    const answer = plan(
      'sticky',
      { t: 3 },
      {
        c1: stickyMember({ t: [0] }, 1, 0),
        c2: stickyMember({ t: [1] }, 1, 1),
        c3: stickyMember({}, 1, 2),
      },
    )
    expect(answer.assignment).toEqual({ c1: { t: [0] }, c2: { t: [1] }, c3: { t: [2] } })
  })
})

describe('CooperativeStickyAssignorTest', () => {
  test('testAllConsumersHaveOwnedPartitionInvalidated…WithEqualPartitionsPerConsumer', () => {
    const c = { c1: { owned: { t: [0, 1] }, generation: 1 }, c2: { owned: { t: [0, 2] }, generation: 1 }, c3: {} }
    const answer = plan('cooperative-sticky', { t: 3 }, c)
    expect(answer).toMatchObject({
      assignment: { c1: { t: [1] }, c2: { t: [2] }, c3: {} },
      withheld: { c3: { t: [0] } },
    })
    expect(answer.assignment.c3).toEqual({})
  })

  test('testAllConsumersHaveOwnedPartitionInvalidated…WithUnequalPartitionsPerConsumer', () => {
    const c = { c1: { owned: { t: [0, 1] }, generation: 1 }, c2: { owned: { t: [0, 2] }, generation: 1 }, c3: {} }
    const answer = plan('cooperative-sticky', { t: 4 }, c)
    expect(answer.assignment).toEqual({ c1: { t: [1, 3] }, c2: { t: [2] }, c3: {} })
    expect(answer.withheld).toEqual({ c3: { t: [0] } })
  })

  test('testDecodeGeneration, testEncodeAndDecodeGeneration: the userData tell it where the subscription does not', () => {
    const before28 = { version: 1 as const, owned: { t: [0, 1] } }
    const rival = { owned: { t: [0] }, generation: 4 }
    const told = { ...before28, userData: encodeCooperativeUserData(10) }
    expect(plan('cooperative-sticky', { t: 2 }, { c1: told, c2: rival }).rejectedClaims).toMatchObject([
      { memberId: 'c2' },
    ])
    const untold = { ...before28, userData: encodeCooperativeUserData(null) }
    for (const c1 of [before28, untold]) {
      expect(plan('cooperative-sticky', { t: 2 }, { c1, c2: rival }).rejectedClaims).toMatchObject([{ memberId: 'c1' }])
    }
  })

  test('testMemberDataWithInconsistentData: partitions and generation of the subscription count', () => {
    const c1 = { owned: { t: [0] }, generation: 3, userData: encodeCooperativeUserData(9) }
    const c2 = { owned: { t: [0] }, generation: 4, userData: encodeCooperativeUserData(2) }
    const answer = plan('cooperative-sticky', { t: 1 }, { c1, c2 })
    expect(answer.assignment).toEqual({ c1: {}, c2: { t: [0] } })
  })

  test('testMemberDataWithEmptyPartitionsAndEqualGeneration, …AndHigherGeneration', () => {
    for (const generation of [1, 2]) {
      const c1 = { owned: {}, generation, userData: encodeCooperativeUserData(1) }
      const answer = plan('cooperative-sticky', { t: 2 }, { c1, c2: { owned: { t: [0, 1] }, generation: 1 } })
      expect(answer).toMatchObject({ kept: 1, withheld: { c1: { t: [1] } }, rejectedClaims: [], metadataProblems: [] })
    }
  })

  test('testAssignorWithOldVersionSubscriptions', () => {
    const answer = plan(
      'cooperative-sticky',
      { t: 3 },
      {
        c1: { version: 1, owned: { t: [0] } },
        c2: { version: 1, owned: { t: [1] } },
        c3: { version: 2, generation: 1 },
      },
    )
    expect(answer.assignment).toEqual({ c1: { t: [0] }, c2: { t: [1] }, c3: { t: [2] } })
  })
})

test.each(['sticky', 'cooperative-sticky'])(
  'testMemberData: %s reads its claims from every version it can be in',
  strategy => {
    const owned = { t1: [0], t2: [1] }
    for (const version of strategy === 'sticky' ? ([0, 1, 2, 3] as const) : ([1, 2, 3] as const)) {
      const generation = 1
      const userData =
        strategy === 'sticky' ? encodeStickyUserData(lists(owned), generation) : encodeCooperativeUserData(generation)
      const c1 = { version, userData, owned: version === 0 ? {} : owned, generation }
      const answer = plan(strategy, { t1: 1, t2: 2 }, { c1, c2: {} })
      expect(answer).toMatchObject({ kept: 2, assignment: { c1: { t1: [0], t2: [1] } } })
    }
  },
)
