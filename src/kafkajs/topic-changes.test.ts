/** What a leader says of topics that are not as they were at its last plan. */
import { expect, test } from '@jest/globals'
import { TopicMemory } from './topic-changes'

const states = (counts: Record<string, number>) =>
  new Map(Object.entries(counts).map(([topic, n]) => [topic, { racks: Array.from({ length: n }, () => []) }]))

test('a topic made anew with fewer partitions vanished and appeared; one that nobody subscribes is none of the group', () => {
  const memory = new TopicMemory()
  const nothing = { topicsAppeared: [], topicsGrown: [], topicsVanished: [] }
  expect(memory.changes(['a', 'b'], states({ a: 4, b: 1, other: 1 }))).toEqual(nothing)
  expect(memory.changes(['a', 'b'], states({ a: 2, b: 1, other: 9 }))).toEqual({
    topicsAppeared: ['a'],
    topicsGrown: [],
    topicsVanished: ['a'],
  })
  expect(memory.changes(['b', 'other'], states({ a: 2, b: 3, other: 9 }))).toEqual({
    topicsAppeared: ['other'],
    topicsGrown: ['b'],
    topicsVanished: ['a'],
  })
  expect(memory.changes(['b', 'other', 'missing'], states({ b: 3, other: 9 }))).toEqual(nothing)
})
