/** Public reports about other clients, as far as one plan decides them: test/cases/field-reports.md, kinds U and P. */
import { describe, expect, test } from '@jest/globals'
import { planRequest } from '../../src/dry-run'
import { plan } from '../../src/planner'
import { nextRequest } from '../../src/planner/testing/notation'
import type { Plan, PlanRequest } from '../../src/planner/types'
import { encodeSubscription } from '../../src/protocol'
import { expectBestPlan } from './expect-best-plan'
import { loadsOf, settle, waiting, wholePlan } from './java-tests'
import { oneLine } from './one-line'

function best(request: string | PlanRequest): Plan {
  const read = typeof request === 'string' ? oneLine(request) : request
  expectBestPlan(read)
  expect(wholePlan(plan({ ...read, strategy: 'cooperative-sticky' }))).toEqual(wholePlan(plan(read)))
  return plan(read)
}

describe('what each member has', () => {
  test.each([
    ['B01', 'T=2 | c1: *: T-0 T-1 @2 | c2b: *:', { c1: 'T-0', c2b: 'T-1' }, 1],
    [
      'B02',
      'A=2 B=2 | g-0: B: | g-1: A: | g-2: B: | g-3: A:',
      { 'g-0': 'B-0', 'g-1': 'A-0', 'g-2': 'B-1', 'g-3': 'A-1' },
      0,
    ],
    ['B03', 'a=1 b=1 | c1: a: | c2: b:', { c1: 'a-0', c2: 'b-0' }, 0],
    ['B04', 'T1=1 T2=1 T3=1 | c1: T1: | c2: T2: | c3: T3:', { c1: 'T1-0', c2: 'T2-0', c3: 'T3-0' }, 0],
    [
      'B05',
      'A=4 B=2 | new: A B: | old1: A: A-0..1 @3 | old2: A: A-2..3 @3',
      { new: 'B-0 B-1', old1: 'A-0 A-1', old2: 'A-2 A-3' },
      0,
    ],
    ['B07', 't1=1 t2=1 | A: t1: t1-0 | B: t2:', { A: 't1-0', B: 't2-0' }, 0],
    ['B08', 'test_1=1 test_2=1 | c1: test_1: | c2: *:', { c1: 'test_1-0', c2: 'test_2-0' }, 0],
    ['B14', 'T=2 | B: *: T-1 @3 | C: *: @-', { B: 'T-1', C: 'T-0' }, 0],
    ['B19', 'T=3 | c1: *: T-0 @7 | c2: *: T-0..1 @9 | c3: *: T-2 @9', { c1: 'T-1', c2: 'T-0', c3: 'T-2' }, 1],
    ['B21', 'T=6 | c1: *: T-0..1 @2 | c2: *: T-2..3 @2', { c1: 'T-0 T-1 T-4', c2: 'T-2 T-3 T-5' }, 0],
    [
      'B33',
      'T=12 | c1: *: T-0..3 @3 | c2: *: T-4..7 @3',
      { c1: 'T-0 T-1 T-10 T-2 T-3 T-8', c2: 'T-11 T-4 T-5 T-6 T-7 T-9' },
      0,
    ],
    [
      'B42',
      'T=6 | c1: *: T-0..2 @2 | c2: *: T-3..5 @2 | c3: *: T-2 T-5 @1',
      { c1: 'T-0 T-1', c2: 'T-3 T-4', c3: 'T-2 T-5' },
      2,
    ],
    ['B44', 'T=3 | c1: *: T-0 T-1 | c2: *: T-0 T-2 | c3: *:', { c1: 'T-1', c2: 'T-2', c3: 'T-0' }, 0],
    ['B46', 't=3 u=3 | c1: *: t-0 t-2 u-1 @10 | c2: *: t-0 t-2 u-1 @9', { c1: 't-0 t-2 u-1', c2: 't-1 u-0 u-2' }, 0],
    [
      'B46, no generation',
      't=3 u=3 | c1: *: t-0 t-2 u-1 @10 | c2: *: t-0 t-2 u-1 @-',
      { c1: 't-0 t-2 u-1', c2: 't-1 u-0 u-2' },
      0,
    ],
    [
      'B47',
      't=3 u=3 v=3 | c1: *: t-0 u-0 v-0 @10 | c2: *: t-1 u-1 v-1 @9 | c3: *: u-1 v-0 v-2 @8',
      { c1: 't-0 u-0 v-0', c2: 't-1 u-1 v-1', c3: 't-2 u-2 v-2' },
      0,
    ],
    ['B49', 'T=2 | A: *: T-0 T-1 @1 | B: *: T-1 @2', { A: 'T-0', B: 'T-1' }, 0],
    ['B57', 't=3 u=0 | a: t: t-0 @1 | b: t: t-0..2 @2 | c: t u:', { a: 't-1', b: 't-0', c: 't-2' }, 2],
    ['B81', 'T=3 | c1: *: T-0 T-2 @1 | c2: *: T-1 @- | c3: *: @-', { c1: 'T-0', c2: 'T-1', c3: 'T-2' }, 1],
    ['B82', 'T=2 | c1: *: T-0..1 @- | c2: *: T-0..1 @-', { c1: 'T-0', c2: 'T-1' }, 0],
  ])('%s', (_, text, expected, transferred) => {
    const answer = best(text)
    expect(wholePlan(answer)).toEqual(expected)
    expect(answer.report.transferred).toBe(transferred)
  })
})

describe('loads', () => {
  const topics = (prefix: string, n: number) => Array.from({ length: n }, (_, i) => `${prefix}${i}=1`).join(' ')
  test.each([
    ['B09', `${topics('t', 10)} | a: *: | b: *:`, [5, 5], 0],
    ['B32', 'T=10 | c1: *: T-1 T-3 T-5 T-7 T-9 @2 | c2: *: T-0 T-2 T-4 T-6 T-8 @2 | c3: *:', [4, 3, 3], 3],
    ['B53', 't1=2 t2=1 t3=2 t4=1 t5=2 | c1: *: | c2: t1 t3 t5: | c3: t1 t3 t5: | c4: *:', [2, 2, 2, 2], 0],
    ['B58', 't=2 | a: t: t--1 t-0 | b: t: t--2', [1, 1], 0],
    ['B63', 'BAR0=32 BAR1=32 BAR2=32 | c0: BAR0: | c1: BAR1: | c2: BAR2:', [32, 32, 32], 0],
    ['B79', 'T=5 | a: *: T-0..1 | b: *: T-2..3 | c: *: T-4', [2, 2, 1], 0],
    ['B79, the extra elsewhere', 'T=5 | a: *: T-0 | b: *: T-1..2 | c: *: T-3..4', [1, 2, 2], 0],
    ['B85', 'T=5 | a: *: T-0..2 | b: *: T-3 | c: *: T-4', [2, 2, 1], 1],
  ])('%s', (_, text, loads, transferred) => {
    const answer = best(text)
    expect(loadsOf(answer)).toEqual(loads)
    expect(answer.report.transferred).toBe(transferred)
  })
})

test.each([null, Number.POSITIVE_INFINITY, Number.NaN, -1, 1.5, '0'])(
  'B12: a claim of T:[%p] is counted, not believed',
  claim => {
    const member = {
      memberId: 'c2',
      topics: ['T'],
      owned: [{ topic: 'T', partitions: [claim as number] }],
      generation: 1,
    }
    const answer = best({ strategy: 'sticky', topics: { T: 1 }, members: [member] })
    expect(wholePlan(answer)).toEqual({ c2: 'T-0' })
    expect(answer.report.rejectedClaims).toMatchObject([{ reason: 'invalid-partition', count: 1 }])
  },
)

test('B35: members of two topics that join one by one', () => {
  let request = oneLine('states=3 activities=3 | m00: states:')
  for (let i = 1; i < 25; i++) {
    const next = nextRequest(request, best(request))
    const joining = { memberId: `m${String(i).padStart(2, '0')}`, topics: [i < 10 ? 'states' : 'activities'] }
    request = { ...next, members: [...next.members, joining] }
  }
  expect(loadsOf(best(request)).sort()).toEqual([...new Array<number>(19).fill(0), 1, 1, 1, 1, 1, 1])
})

test.each([
  ['B36', 18, 8, 4],
  ['B38', 16, 1, 16],
])('%s: one more member gets as much of each topic', (_, count, from, transferred) => {
  const members = Array.from({ length: from }, (_, i) => `m${i}: *:`).join(' | ')
  const before = oneLine(`t1=${count} t2=${count} | ${members}`)
  const next = nextRequest(before, plan(before))
  const answer = best({ ...next, members: [...next.members, { memberId: 'new', topics: ['t1', 't2'] }] })
  expect(answer.report.transferred).toBe(transferred)
  expect(answer.assignment('new').map(({ partitions }) => partitions.length)).toEqual([
    transferred / 2,
    transferred / 2,
  ])
})

describe('large groups', () => {
  const group = (
    topics: number,
    partitions: number,
    members: number,
    subscription: (member: number, all: string[]) => string[],
  ) => {
    const all = Array.from({ length: topics }, (_, t) => `t${t}`)
    return {
      strategy: 'sticky' as const,
      topics: Object.fromEntries(all.map(topic => [topic, partitions])),
      members: Array.from({ length: members }, (_, m) => ({ memberId: `m${m}`, topics: subscription(m, all) })),
    }
  }

  test('B40: two halves of the topics, a quarter of the members on one', () => {
    const request = group(100, 200, 500, (m, all) => (m % 4 === 0 ? all.slice(0, 50) : all.slice(50)))
    const first = plan(request)
    expect(first.report).toMatchObject({ balance: { min: 26, max: 80 }, spread: { proven: true } })
    expect(plan(nextRequest(request, first)).report).toMatchObject({ moved: 0 })
  })

  test('B41: all the same but one', () => {
    const request = group(50, 800, 800, (m, all) => (m === 799 ? all.slice(0, 1) : all))
    const first = plan(request)
    expect(first.report).toMatchObject({ balance: { min: 50, max: 50 }, spread: { proven: true } })
    expect(plan(nextRequest(request, first)).report).toMatchObject({ moved: 0 })
  })
})

test('B51, B52: topics that are gone', () => {
  const answer = best('t1=1 t3=100 | c: t1 t2 t3: t2-0')
  expect(loadsOf(answer)).toEqual([101])
  expect(answer.report.missingTopics).toEqual(['t2'])
  expect(wholePlan(best('other=1 | c: T: T-0..2'))).toEqual({ c: '' })
})

test.each([
  [1, 2, 3],
  [1, 3, 2],
  [2, 1, 3],
  [2, 3, 1],
  [3, 1, 2],
  [3, 2, 1],
])('B55: generations %i, %i, %i', (a, b, c) => {
  const answer = best(
    `t=6 t1=1 | c1: t: t-0 t-2 @${a} | c2: t: t-1..3 @${b} | c3: t: t-2 t-4 t-5 @${c} | c4: t1: t1-0 @2`,
  )
  expect(loadsOf(answer)).toEqual([2, 2, 2, 1])
})

test('B65: an idle member has an entry, and gets a partition when one is free', () => {
  const three = oneLine('T=2 | a: *: | b: *: | c: *:')
  const first = best(three)
  expect(wholePlan(first)).toEqual({ a: 'T-0', b: 'T-1', c: '' })
  const next = nextRequest(three, first)
  expect(wholePlan(best({ ...next, members: next.members.slice(1) }))).toEqual({ b: 'T-1', c: 'T-0' })
})

test('B68: one to eight members and back', () => {
  let request = oneLine('T=64 | m1: *:')
  for (let n = 2; n <= 8; n++) {
    const next = nextRequest(request, plan(request))
    request = { ...next, members: [...next.members, { memberId: `m${n}`, topics: ['T'] }] }
    expect(best(request).report).toMatchObject({ transferred: Math.floor(64 / n), unclaimed: 0 })
  }
  for (let n = 8; n >= 2; n--) {
    const before = plan(request)
    const next = nextRequest(request, before)
    request = { ...next, members: next.members.slice(1) }
    const left = before.report.changes.find(({ memberId }) => memberId === next.members[0]!.memberId)!
    expect(best(request).report).toMatchObject({ transferred: 0, moved: left.assigned })
  }
})

test('B76: what another member claims is given to nobody else in that round', () => {
  const request = oneLine('T=2 | A: *: T-0..1 @288 | B: *: @-', 'cooperative-sticky')
  const answer = plan(request)
  expect(answer.assignment('B')).toEqual([])
  expect(waiting(answer)).toEqual({ B: 'T-1' })
  expect(wholePlan(settle(request, answer))).toEqual({ A: 'T-0', B: 'T-1' })
})

test('B88: null userData are accepted, and every member has an entry', () => {
  const metadata = Buffer.from(encodeSubscription({ topics: ['T'], ownedPartitions: [] })).toString('base64')
  for (const strategy of ['sticky', 'cooperative-sticky']) {
    const members = ['a', 'b', 'c'].map(memberId => ({ memberId, metadata }))
    const answer = planRequest({ strategy, topics: { T: 2 }, members })
    expect(answer).toMatchObject({ assignment: { a: { T: [0] }, b: { T: [1] }, c: {} }, metadataProblems: [] })
  }
})
