/** Small groups in which other planners lose: each was found with one of them, and is named after it. */
import { describe, expect, test } from '@jest/globals'
import { plan } from '../../src/planner'
import { nextRequest } from '../../src/planner/testing/notation'
import type { Plan, PlanRequest } from '../../src/planner/types'
import { expectBestPlan } from './expect-best-plan'
import { loadsOf, settle, wholePlan } from './java-tests'
import { oneLine } from './one-line'

/** The plan, held to the oracle; a cooperative group arrives at one as good. */
function best(request: string | PlanRequest): Plan {
  const sticky = typeof request === 'string' ? oneLine(request) : request
  expectBestPlan(sticky)
  const cooperative: PlanRequest = { ...sticky, strategy: 'cooperative-sticky' }
  settle(cooperative, plan(cooperative))
  return plan(sticky)
}

describe('balance that Kafka misses', () => {
  test.each([
    ['a chain of two moves over t1', 't0=1 t1=1 t2=1 | c0: t0 t2: t0-0 | c1: t1 t2: t1-0 | c2: t1:', [1, 1, 1]],
    ['a chain over both topics of c1', 't0=2 t2=1 | c0: t0: t0-0..1 | c1: t0 t2: | c2: t2:', [1, 1, 1]],
    ['a chain through the member in the middle', 't0=2 t1=1 | A: t0: t0-0..1 | B: t0 t1: t1-0 | C: t1:', [1, 1, 1]],
    ['a donor three above', 't0=4 t1=2 | A: t1: t1-0 | B: t0: t0-0..3 | C: t0 t1: t1-1', [2, 2, 2]],
  ])('%s', (_, text, loads) => {
    expect(loadsOf(best(text))).toEqual(loads)
  })

  const nine = 't1=1 t2=1 t3=1 t4=1 t5=1 t6=1 t7=1 t8=1 t9=1 | A: *: '
  test('the big one: balanced with the same seven kept', () => {
    const answer = best(`${nine}t1-0 | B: t2 t3 t4: t2-0 t3-0 t4-0 | C: t5 t6 t7 t8 t9: t5-0 t6-0 t7-0 t8-0 t9-0`)
    expect(answer.report).toMatchObject({ balance: { min: 3, max: 3 }, kept: 7 })
  })

  test('its other form: balanced with the same kept', () => {
    const owned = 't3-0 t4-0 t5-0 t6-0 t7-0 t8-0 t9-0'
    const answer = best(`${nine}t1-0 | B: t2 t3 t4: t2-0 | C: t3 t4 t5 t6 t7 t8 t9: ${owned}`)
    expect(answer.report).toMatchObject({ balance: { min: 3, max: 3 }, kept: 5 })
  })
})

describe('moves that others make in vain', () => {
  test.each([
    [
      'franz-go before 1.22: the free partition to the wrong member',
      't0=4 t1=1 | A: t0: t0-0 t0-3 | B: t0 t1: t0-1 t1-0 | C: t1:',
      1,
    ],
    [
      'franz-go before 1.22: an owner of two beside an idle one',
      't0=1 t1=1 t2=1 | A: *: t0-0 t2-0 | B: t1: | C: *: t1-0 | D: t1 t2:',
      1,
    ],
    ['Kafka: the joiner is served by list order', 't0=3 t1=1 | A: t0 t1: t0-0 t0-2 t1-0 | B: t1: | C: t0: t0-1', 1],
    [
      'Kafka: one owner of all, two that take one topic each',
      't1=2 t2=2 | c0: *: t1-0..1 t2-0..1 | c1: t1: | c2: t2:',
      2,
    ],
  ])('%s', (_, text, transferred) => {
    expect(best(text).report).toMatchObject({ transferred })
  })

  test('Kafka: two free topics, and the only owned one moves', () => {
    const answer = best('t1=1 t2=1 t3=1 | c0: t1 t3: t1-0 | c1: *: | c2: t1 t2:')
    expect(answer.report).toMatchObject({ kept: 1, balance: { min: 1, max: 1 } })
  })

  test('librdkafka: the group with which it crashed', () => {
    const answer = best('t0=1 t1=4 t2=1 | A: *: t0-0 t1-0 t1-3 t2-0 | B: t0 t2: | C: *: t1-2 | D: t2:')
    expect(answer.report.balance).toEqual({ min: 1, max: 2 })
  })
})

describe('topics that others spread unevenly as a group grows', () => {
  test.each([
    [18, 8, 9],
    [16, 1, 2],
    [84, 3, 4],
  ])(
    'two topics of %i partitions, from %i to %i members: every member has as many of one as of the other',
    (count, from, to) => {
      const ids = (n: number) => Array.from({ length: n }, (_, i) => `m${i}`)
      const before = oneLine(
        `a=${count} b=${count} | ${ids(from)
          .map(id => `${id}: *:`)
          .join(' | ')}`,
      )
      const grown = nextRequest(before, plan(before))
      const members = [
        ...grown.members,
        ...ids(to)
          .slice(from)
          .map(memberId => ({ memberId, topics: ['a', 'b'] })),
      ]
      const answer = plan({ ...grown, members })
      for (const id of answer.memberIds) {
        const [a, b] = answer.assignment(id)
        expect(a!.partitions.length).toBe(b!.partitions.length)
      }
      expect(answer.report.moved).toBe(answer.report.minimumMoves)
    },
  )
})

describe("claims with which Kafka's leader fails", () => {
  test('H1: partitions beyond a topic that was created anew (it throws, or hands them out)', () => {
    const answer = best('t=3 | A: t: t-0 t-5 | B: t: t-1')
    expect(wholePlan(answer)).toEqual({ A: 't-0 t-2', B: 't-1' })
    expect(answer.report.rejectedClaims).toMatchObject([{ memberId: 'A', reason: 'invalid-partition', examples: [5] }])
    expect(loadsOf(best('t0=2 | A: t0: t0-0..1 | B: t0: t0-2..3'))).toEqual([1, 1])
    expect(wholePlan(best('t=2 u=4 | A: t: t-0 t-2 | B: t u: u-0..2'))).toMatchObject({ A: 't-0 t-1' })
    expect(wholePlan(best('t0=2 t1=2 | A: *: t0-0 t0-9 | B: t0: t0-1'))).toEqual({ A: 't1-0 t1-1', B: 't0-0 t0-1' })
  })

  test('H2: a stale claim on a topic that is not subscribed (it gives the partition to the claimant)', () => {
    const answer = best('t1=1 t2=1 | c0: t1: @2 | c1: t1 t2: t1-0 t2-0 @3 | c2: t2: t1-0 @2')
    expect(loadsOf(answer).sort()).toEqual([0, 1, 1])
    expect(wholePlan(answer).c2).not.toContain('t1')
    expect(answer.report.rejectedClaims).toMatchObject([{ memberId: 'c2', topic: 't1', reason: 'not-subscribed' }])
  })

  test('H3: the same of a member that takes no part in balancing (a null pointer)', () => {
    expect(loadsOf(best('t=4 u=1 | A: u: t-0..1 @1 | B: t: t-0..3 @2 | C: t: @2'))).toEqual([1, 2, 2])
  })

  test('H4: an empty subscription before the others (it gets what it does not subscribe)', () => {
    for (const id of ['A', 'Z'])
      expect(wholePlan(best(`t=4 | ${id}:: | M: t:`))).toEqual({ [id]: '', M: 't-0 t-1 t-2 t-3' })
  })

  test('H5: the newer claim wins, whoever comes last (it believes the later member)', () => {
    for (const [newer, older] of [
      ['A', 'B'],
      ['B', 'A'],
    ]) {
      const answer = best(`t=2 | ${newer}: t: t-0 @5 | ${older}: t: t-0 t-1 @3`)
      expect(wholePlan(answer)).toEqual({ [newer!]: 't-0', [older!]: 't-1' })
    }
  })

  test('H6: a tie below a newer claim (it drops the newest, depending on the order)', () => {
    for (const [a, b, c] of [
      ['A', 'B', 'C'],
      ['B', 'C', 'A'],
      ['C', 'A', 'B'],
    ]) {
      const answer = best(`t=3 | ${a}: t: t-0 @4 | ${b}: t: t-0 @4 | ${c}: t: t-0 @5`)
      expect(wholePlan(answer)[c!]).toBe('t-0')
      expect(answer.report.rejectedClaims.map(({ reason }) => reason)).toEqual(['older-generation', 'older-generation'])
    }
  })

  test('H7: a topic named twice in a subscription (it takes the subscriptions for equal)', () => {
    expect(wholePlan(best('t=2 u=2 | A: t u: | B: t t:'))).toEqual({ A: 'u-0 u-1', B: 't-0 t-1' })
  })

  test('H9: racks with which it never comes to rest', () => {
    const request: PlanRequest = {
      strategy: 'sticky',
      topics: { t0: [['r2', 'r0'], ['r2']], t1: [['r1']] },
      members: [
        { memberId: 'c0', topics: ['t0'], rackId: 'r1' },
        { memberId: 'c1', topics: ['t0', 't1'], rackId: 'r2' },
        { memberId: 'c2', topics: ['t0', 't1'], rackId: 'r0' },
      ],
    }
    expect(plan(nextRequest(request, best(request))).report).toMatchObject({ kept: 3, moved: 0 })
  })
})
