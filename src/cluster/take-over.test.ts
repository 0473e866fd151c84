/** Whether a coordinator may be too new to know a group. */
import { expect, test } from '@jest/globals'
import type { Admin } from 'kafkajs'
import { isTakingOver, partitionOf } from './take-over'

const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => Error
}

const saying = (answer: object | Error) =>
  ({
    fetchTopicMetadata: async () => {
      if (answer instanceof Error) throw answer
      return { topics: [{ name: '__consumer_offsets', partitions: answer }] }
    },
  }) as unknown as Admin

const partition = (partitionId: number, leader: number, isr: number[]) => ({
  partitionId,
  leader,
  isr,
  replicas: [1, 2, 3],
})

test.each([
  ['', 0],
  ['g', 3],
  ['orders-service', 2],
  // Of these the hash is negative, of the last the least of all.
  ['orders', 1],
  ['billing', 4],
  ['polygenelubricants', 0],
])("a group's place is that of Java's hash: %j", (groupId, place) => {
  expect(partitionOf(groupId, 5)).toBe(place)
})

test.each([
  ['in order', [partition(0, 1, [1, 2, 3]), partition(1, 2, [1, 2, 3])], false],
  ['a replica is missing from its partition', [partition(0, 1, [1, 2, 3]), partition(1, 2, [2, 3])], true],
  ['a replica is missing from another', [partition(0, 1, [1, 2]), partition(1, 2, [1, 2, 3])], false],
  ['its partition has no leader', [partition(0, 1, [1, 2, 3]), partition(1, -1, [1, 2, 3])], true],
  ['no partitions', [], false],
  ['a leader is being elected', createErrorFromCode(5), true],
  ['no group has ever been', createErrorFromCode(3), false],
  ['not allowed to see it', createErrorFromCode(29), false],
])('%s', async (_, answer, takingOver) => {
  // Place 1 of two.
  expect(await isTakingOver(saying(answer), 'g')).toBe(takingOver)
})

test('what is no answer of a broker is not hidden', async () => {
  await expect(isTakingOver(saying(new TypeError('odd')), 'g')).rejects.toThrow('odd')
})
