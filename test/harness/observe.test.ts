/** What the benches conclude from the reports of members. */
import { describe, expect, test } from '@jest/globals'
import { fewestMoves, movedBetween, startsOf, worstGap, worstPause, worstSilence } from '../../bench/live/observe'
import { Ledger } from '../../integration/support/ledger'
import { frozenAtWork } from '../../integration/support/random-life'

const starts = startsOf(
  [10, 0, 40, 100].map(start => ({ topic: 't', partition: 0, offset: start, member: 'a', start, end: start + 1 })),
)
const gap = (from: number, to: number) => worstGap(starts, ['t-0'], from, to)

describe('the longest gap between two starts of handlers', () => {
  test('in any order of their reports', () => expect(gap(0, 100)).toBe(60))
  test('counts from before the interval, as a pause that began there', () => expect(gap(20, 40)).toBe(30))
  test('ends with the interval: what comes after it is not its', () => expect(gap(20, 60)).toBe(30))
  test('a partition that stands still counts up to the end', () => expect(gap(90, 500)).toBe(400))
  test('a partition that nobody handles stands still all the time', () =>
    expect(worstGap(starts, ['t-1'], 20, 60)).toBe(40))
  test('of no partition there is none', () => expect(worstGap(starts, [], 20, 60)).toBeNull())
})

describe('the longest pause of a partition that has records', () => {
  type Life = [acknowledged: number, ...starts: number[]][]
  const pause = (life: Life, from = 0, to = 1000, keys = ['t-0']) => {
    const ledger = new Ledger()
    life.forEach(([acknowledged, ...starts], offset) => {
      const record = { topic: 't', partition: 0, offset }
      ledger.acknowledged(record, acknowledged)
      for (const start of starts) ledger.handling('a', record, start)
    })
    return worstPause(ledger, keys, from, to)
  }
  const cases: [string, Life, number][] = [
    [
      'is no time without a record, as when the producer stands still',
      [
        [0, 5],
        [900, 910],
      ],
      10,
    ],
    [
      'counts from the acknowledgement of the record that is handled next',
      [
        [0, 5],
        [200, 900],
        [400, 901],
      ],
      700,
    ],
    [
      'ends with each start: a backlog that is worked off is none',
      [
        [0, 300],
        [1, 500],
        [2, 700],
      ],
      300,
    ],
    ['is none where a record is handled before the producer hears of it', [[50, 40]], 0],
    ['counts up to the end of the interval for a record that nobody has begun', [[0, 5], [600]], 400],
    [
      'does not for one that was begun in time',
      [
        [0, 5],
        [600, 601],
      ],
      5,
    ],
    ['counts before a record that is handled again', [[0, 5, 500]], 495],
    ['counts from before the interval, if it reaches into it', [[-500, 100]], 600],
    [
      'is that of the interval only',
      [
        [-500, -10],
        [0, 1],
        [2000, 9000],
      ],
      1,
    ],
  ]
  test.each(cases)('%s', (_, life, longest) => expect(pause(life)).toBe(longest))
  test('of no partition there is none', () => expect(pause([[0, 5]], 0, 1000, [])).toBeNull())
})

test('the longest silence of the producer is that over all partitions', () => {
  const ledger = new Ledger()
  const acknowledged = (at: number, partition: number) => ledger.acknowledged({ topic: 't', partition, offset: at }, at)
  for (const at of [0, 200, 900]) acknowledged(at, 0)
  acknowledged(500, 1)
  expect(worstSilence(ledger, 100, 1000)).toBe(400)
})

describe('the fewest moves that balance asks for', () => {
  const owners = (counts: Record<string, number>) =>
    new Map(
      Object.entries(counts).flatMap(([name, n]) =>
        Array.from({ length: n }, (_, i) => [`${name}-${i}`, name] as const),
      ),
    )
  test.each([
    ['a third member joins two', { a: 6, b: 6 }, ['a', 'b', 'c'], 4],
    ['one of three leaves', { a: 4, b: 4, c: 4 }, ['a', 'b'], 4],
    ['six become eight', { a: 12, b: 12, c: 12, d: 12, e: 12, f: 12 }, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 18],
    ['uneven shares stay where they are', { a: 2, b: 3 }, ['a', 'b'], 0],
    ['more members than partitions', { a: 2 }, ['a', 'b', 'c'], 1],
    ['everybody has gone', { a: 3 }, ['b'], 3],
  ])('%s', (_, before, members, moves) => expect(fewestMoves(owners(before), members)).toBe(moves))

  test('moved is what has another owner', () => {
    const after = new Map([
      ['t-0', 'a'],
      ['t-1', 'b'],
    ])
    expect(movedBetween(new Map([['t-0', 'a']]), after)).toEqual(['t-1'])
  })
})

describe('a handler that was at work when its process froze', () => {
  const freezes = [{ member: 'a', from: 100, to: 200 }]
  const handling = (start: number, end?: number, member = 'a') => ({
    ...{ topic: 't', partition: 0, offset: 0, member, start },
    ...(end === undefined ? {} : { end }),
  })
  test.each([
    ['goes on afterwards', handling(99, 201), true],
    ['never ends', handling(99), true],
    ['had ended before', handling(90, 99), false],
    ['began afterwards', handling(201, 202), false],
    ['is of another member', handling(99, 201, 'b'), false],
  ])('one that %s', (_, each, expected) => expect(frozenAtWork(each, freezes)).toBe(expected))
})
