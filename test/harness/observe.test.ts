/** What the benches conclude from the reports of members. */
import { describe, expect, test } from '@jest/globals'
import { fewestMoves, movedBetween, startsOf, worstGap } from '../../bench/live/observe'
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
