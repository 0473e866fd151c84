/** The book that the integration tests keep: it must find what they look for. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { Ledger } from '../../integration/support/ledger'

const record = (offset: number, partition = 0) => ({ topic: 't', partition, offset })
let ledger: Ledger

beforeEach(() => {
  ledger = new Ledger()
})

function handle(member: string, offset: number, start: number, end?: number): void {
  ledger.handling(member, record(offset), start)
  if (end !== undefined) ledger.handled(member, record(offset), end)
}

function commit(offset: number, at: number): void {
  ledger.committed({
    at,
    generation: 1,
    topics: [{ topic: 't', partitions: [{ partition: '0', offset: String(offset) }] }],
  })
}

describe('lost records', () => {
  test('are those that the broker has and no handler has finished', async () => {
    for (const offset of [0, 1, 2]) ledger.acknowledged(record(offset))
    handle('a', 0, 1, 2)
    handle('a', 1, 2)
    expect(ledger.missing()).toEqual(['t-0@1', 't-0@2'])
    await expect(ledger.nothingLost(0)).rejects.toThrow('2 of 3 are not: t-0@1 t-0@2')
    ledger.handled('a', record(1), 3)
    handle('b', 2, 4, 5)
    await ledger.nothingLost(0)
  })

  test('are found per partition', () => {
    ledger.acknowledged(record(0, 7))
    handle('a', 0, 1, 2)
    expect(ledger.missing()).toEqual(['t-7@0'])
  })
})

describe('records handled again', () => {
  test('are excused when they were not committed, or were by then', () => {
    handle('a', 0, 1, 2)
    ledger.joined('b', 5)
    commit(1, 6)
    handle('b', 0, 7, 8)
    expect(ledger.duplicates()).toHaveLength(1)
    expect(ledger.needlessDuplicates()).toEqual([])
  })

  test('are not when the member joined after the commit', () => {
    handle('a', 0, 1, 2)
    commit(1, 3)
    ledger.joined('b', 5)
    handle('b', 0, 7, 8)
    expect(ledger.needlessDuplicates()).toEqual([{ record: 't-0@0', by: 'b' }])
  })

  test('are excused when the commit was of what comes before them', () => {
    handle('a', 4, 1, 2)
    commit(4, 3)
    ledger.joined('b', 5)
    handle('b', 4, 7, 8)
    expect(ledger.needlessDuplicates()).toEqual([])
  })
})

describe('two handlers at once on one partition', () => {
  test.each([
    ['one after the other', [0, 10], [10, 20], 0],
    ['the second starts before the first ends', [0, 10], [9, 20], 1],
    ['the second lies within the first', [0, 10], [3, 4], 1],
  ] as const)('%s', (_, first, second, overlaps) => {
    handle('a', 0, first[0], first[1])
    handle('b', 1, second[0], second[1])
    expect(ledger.overlaps()).toHaveLength(overlaps)
  })

  test('a short one in between does not hide a long one', () => {
    handle('a', 0, 0, 100)
    handle('b', 1, 10, 20)
    handle('c', 2, 50, 60)
    expect(ledger.overlaps().map(({ second }) => second.member)).toEqual(['b', 'c'])
  })

  test('the handler of a killed member ends with it; one that nobody has ended goes on', () => {
    handle('a', 0, 0)
    ledger.died('a', 5)
    handle('b', 0, 6)
    expect(ledger.overlaps()).toEqual([])
    handle('c', 0, 7, 8)
    expect(ledger.overlaps()).toHaveLength(1)
  })

  test('different partitions are different', () => {
    handle('a', 0, 0, 10)
    ledger.handling('b', record(0, 1), 5)
    expect(ledger.overlaps()).toEqual([])
  })
})

test('the longest gap counts the ends too, and time in a handler is none', () => {
  handle('a', 0, 10, 30)
  handle('b', 1, 50, 55)
  expect(ledger.longestGap('t-0', 0, 100)).toBe(45)
  expect(ledger.longestGap('t-0', 0, 56)).toBe(20)
  expect(ledger.longestGap('t-0', 12, 29)).toBe(0)
})
