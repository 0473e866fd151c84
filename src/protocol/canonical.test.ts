import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  canonicalPartitions,
  decodeSubscription,
  encodeAssignment,
  encodeStickyUserData,
  encodeSubscription,
  type TopicPartitions,
} from '.'
import { strictSubscription } from './testing/strict'

const anyList = fc.array(
  fc.record({
    topic: fc.oneof(
      fc.constantFrom('a', 'b', '__proto__', '10', '9', '\ufffd', '\u{1f600}'),
      fc.string({ unit: 'binary' }),
    ),
    partitions: fc.array(fc.integer({ min: -2, max: 120 }), { maxLength: 6 }),
  }),
  { maxLength: 8 },
)

const pairs = (list: readonly TopicPartitions[]): string[] =>
  list.flatMap(({ topic, partitions }) => partitions.map(partition => JSON.stringify([topic, partition])))

describe('canonical form', () => {
  test('one entry a topic, both levels strictly ascending, no pair lost or made up', () => {
    fc.assert(
      fc.property(anyList, list => {
        const canonical = canonicalPartitions(list)
        canonical.forEach(({ topic, partitions }, i) => {
          expect(i === 0 || canonical[i - 1]!.topic < topic).toBe(true)
          expect(partitions.length).toBeGreaterThan(0)
          for (let j = 1; j < partitions.length; j++) expect(partitions[j - 1]!).toBeLessThan(partitions[j]!)
        })
        const valid = list.map(({ topic, partitions }) => ({ topic, partitions: partitions.filter(p => p >= 0) }))
        expect(pairs(canonical).sort()).toEqual([...new Set(pairs(valid))].sort())
      }),
    )
  })

  test('a list in canonical form is not copied', () => {
    const list = [
      { topic: '10', partitions: [0, 2] },
      { topic: '9', partitions: [1] },
    ]
    expect(canonicalPartitions(list)).toBe(list)
  })

  test('order is by UTF-16 code unit, as Java compares: a surrogate comes before U+FFFD', () => {
    const list = ['\ufffd', '\u{1f600}', 'b', 'B', 'a-1', 'a'].map(topic => ({ topic, partitions: [0] }))
    expect(canonicalPartitions(list).map(({ topic }) => topic)).toEqual(['B', 'a', 'a-1', 'b', '\u{1f600}', '\ufffd'])
  })

  test('the list that is given stays as it is', () => {
    const list = [{ topic: 'a', partitions: [2, 1, 1] }]
    canonicalPartitions(list)
    expect(list).toEqual([{ topic: 'a', partitions: [2, 1, 1] }])
  })
})

test('equal content in any order gives equal bytes', () => {
  const shuffled = fc.tuple(anyList, fc.array(fc.string(), { maxLength: 5 })).chain(([list, topics]) => {
    const singles = list.flatMap(({ topic, partitions }) => partitions.map(p => ({ topic, partitions: [p] })))
    return fc.record({
      list: fc.constant(list),
      topics: fc.constant(topics),
      otherList: fc.shuffledSubarray(singles, { minLength: singles.length }),
      otherTopics: fc.shuffledSubarray([...topics, ...topics], { minLength: 2 * topics.length }),
    })
  })
  fc.assert(
    fc.property(shuffled, ({ list, topics, otherList, otherTopics }) => {
      expect(encodeAssignment({ partitions: otherList })).toEqual(encodeAssignment({ partitions: list }))
      expect(encodeStickyUserData(otherList, 3)).toEqual(encodeStickyUserData(list, 3))
      expect(encodeSubscription({ topics: otherTopics, ownedPartitions: otherList })).toEqual(
        encodeSubscription({ topics, ownedPartitions: list }),
      )
    }),
  )
})

test('a name that no Kafka string can hold is left out; the longest that fits is written', () => {
  const fits = 'é'.repeat(16_383)
  const tooLong = 'é'.repeat(16_384)
  const list = [fits, tooLong].map(topic => ({ topic, partitions: [0] }))
  const bytes = encodeSubscription({ topics: [fits, tooLong], ownedPartitions: list, rackId: tooLong })
  expect(strictSubscription(bytes)).toMatchObject({ topics: [fits], ownedPartitions: [list[0]], rackId: null })
  expect(decodeSubscription(bytes).topics).toEqual([fits])
})
