import { expect, test } from '@jest/globals'
import { describePartitions, partitionsByTopic, subtract } from './topics'

test('partitionsByTopic sorts, leaves empty topics out, copies, and takes any name for a topic', () => {
  const list = [
    { topic: 'b', partitions: [2, 0, 10] },
    { topic: '__proto__', partitions: [1] },
    { topic: 'none', partitions: [] },
    { topic: 'constructor', partitions: [0] },
  ]
  const byTopic = partitionsByTopic(list)
  expect(Object.entries(byTopic)).toEqual([
    ['__proto__', [1]],
    ['b', [0, 2, 10]],
    ['constructor', [0]],
  ])
  byTopic.b!.push(99)
  expect(list[0]!.partitions).toEqual([2, 0, 10])
})

test('subtract keeps what the other list does not hold', () => {
  const held = [
    { topic: 'a', partitions: [0, 1, 2] },
    { topic: 'b', partitions: [0] },
  ]
  expect(subtract(held, [{ topic: 'a', partitions: [1] }])).toEqual([
    { topic: 'a', partitions: [0, 2] },
    { topic: 'b', partitions: [0] },
  ])
  expect(subtract(held, held)).toEqual([])
})

test('describePartitions writes ranges, and no more than it may', () => {
  expect(describePartitions([])).toBe('')
  expect(
    describePartitions([
      { topic: 'orders', partitions: [0, 1, 2, 3, 7, 9, 10] },
      { topic: 'audit', partitions: [5] },
    ]),
  ).toBe('orders 0-3,7,9-10 · audit 5')
  const many = [{ topic: 't', partitions: Array.from({ length: 1000 }, (_, i) => 2 * i) }]
  expect(describePartitions(many, 20)).toBe('t 0,2,4,6,8,10,12,14…')
})
