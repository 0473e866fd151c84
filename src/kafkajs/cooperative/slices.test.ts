import { describe, expect, test } from '@jest/globals'
import type { FetchedMessage, FetchResponsePartition } from '../internals'
import { Ownership } from './fence'
import { keyOf } from './partition-key'
import { Slices } from './slices'

const ownership = new Ownership(keyOf('t', 0))

function part(from: number, count: number, more: Partial<FetchResponsePartition> = {}): FetchResponsePartition {
  const messages = Array.from({ length: count }, (_, i): FetchedMessage => ({ offset: String(from + i) }))
  return { partition: 0, errorCode: 0, highWatermark: '1000', messages, ...more }
}

const offsets = (each: FetchResponsePartition | undefined) => each?.messages.map(({ offset }) => Number(offset))

describe('a fetched answer', () => {
  test('is handed out slice by slice, without a gap', () => {
    const slices = new Slices(3)
    expect(offsets(slices.cut(ownership, '10', part(10, 7)))).toEqual([10, 11, 12])
    const second = slices.take(ownership, '13')
    expect(offsets(slices.cut(ownership, '13', second!))).toEqual([13, 14, 15])
    expect(offsets(slices.take(ownership, '16'))).toEqual([16])
    expect(slices.take(ownership, '17')).toBeUndefined()
  })

  test('is whole where it fits or where there is no limit', () => {
    expect(offsets(new Slices(3).cut(ownership, '0', part(0, 3)))).toEqual([0, 1, 2])
    expect(offsets(new Slices(0).cut(ownership, '0', part(0, 500)))).toHaveLength(500)
  })

  test('of a compressed batch begins at the position: a slice of earlier records alone would skip one', () => {
    const slices = new Slices(2)
    expect(offsets(slices.cut(ownership, '15', part(10, 10)))).toEqual([15, 16])
    expect(offsets(slices.take(ownership, '17'))).toEqual([17, 18, 19])
  })

  test('with aborted transactions is whole: kafkajs filters them by the list of the whole answer', () => {
    const aborted = part(0, 9, { abortedTransactions: [{ producerId: '1', firstOffset: '0' }] })
    expect(new Slices(2).cut(ownership, '0', aborted)).toBe(aborted)
  })

  test('does not end a slice with a transaction marker, at which the eachMessage loop would stop short', () => {
    const slices = new Slices(3)
    const marked = part(0, 6)
    marked.messages[2]!.isControlRecord = true
    expect(offsets(slices.cut(ownership, '0', marked))).toEqual([0, 1])
    expect(offsets(slices.take(ownership, '2'))).toEqual([2, 3, 4, 5])
  })
})

describe('what is left', () => {
  test('is dropped after a seek', () => {
    const slices = new Slices(2)
    slices.cut(ownership, '0', part(0, 6))
    expect(slices.take(ownership, '100')).toBeUndefined()
    expect(slices.take(ownership, '2')).toBeUndefined()
  })

  test('is not for a later ownership of the partition', () => {
    const slices = new Slices(2)
    slices.cut(ownership, '0', part(0, 6))
    expect(slices.take(new Ownership(ownership.key), '2')).toBeUndefined()
  })
})
