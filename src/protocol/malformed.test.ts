import { describe, expect, test } from '@jest/globals'
import {
  decodeAssignment,
  decodeStickyUserData,
  decodeSubscription,
  describeProblem,
  encodeAssignment,
  encodeStickyUserData,
  encodeSubscription,
} from '.'
import { bytesOf } from './testing/hex'

const topicsA = '00000001 0001 61'
const noUserData = 'ffffffff'

describe('a subscription without an intact version and topics is one without topics', () => {
  test.each([
    ['no bytes', '', 'version', 'empty', 0],
    ['one byte', '00', 'version', 'truncated', 0],
    ['a negative version', `ffff ${topicsA} ${noUserData}`, 'version', 'negative', 0],
    ['nothing but a version', '0003', 'topics', 'truncated', 2],
    ['null topics', `0000 ffffffff ${noUserData}`, 'topics', 'null', 2],
    ['a negative number of topics', '0000 fffffffe', 'topics', 'negative', 2],
    ['2^31 - 1 topics', '0000 7fffffff', 'topics', 'oversized', 2],
    ['one topic more than there is', '0000 00000002 0001 61', 'topics', 'oversized', 2],
    ['a topic cut off', '0000 00000001 0002 61', 'topics', 'oversized', 6],
    ['a null topic', '0000 00000001 ffff', 'topics', 'null', 6],
    ['a topic of negative length', '0000 00000001 8000 6161', 'topics', 'negative', 6],
  ])('%s', (_, hex, field, reason, offset) => {
    expect(decodeSubscription(bytesOf(hex))).toMatchObject({
      topics: [],
      userData: null,
      ownedPartitions: [],
      generationId: null,
      rackId: null,
      problem: { field, reason, offset },
    })
  })

  test('null and undefined are read as no bytes', () => {
    expect(decodeSubscription(null)).toEqual(decodeSubscription(new Uint8Array(0)))
    expect(decodeSubscription(undefined)).toEqual(decodeSubscription(new Uint8Array(0)))
  })
})

describe('a subscription that is damaged behind its topics keeps them and loses its claims', () => {
  const v0 = `${topicsA} ${noUserData}`
  const v1 = `${v0} 00000001 0001 61 00000001 00000000`
  const v2 = `${v1} 00000007`
  test.each([
    ['version 1 over the body of version 0', `0001 ${v0}`, 'ownedPartitions', 'truncated'],
    ['version 2 over the body of version 0', `0002 ${v0}`, 'ownedPartitions', 'truncated'],
    ['version 3 over the body of version 0', `0003 ${v0}`, 'ownedPartitions', 'truncated'],
    ['version 2 over the body of version 1', `0002 ${v1}`, 'generationId', 'truncated'],
    ['version 3 over the body of version 2', `0003 ${v2}`, 'rackId', 'truncated'],
    ['no userData field', `0000 ${topicsA}`, 'userData', 'truncated'],
    ['userData longer than the bytes', `0000 ${topicsA} 00000005 01020304`, 'userData', 'oversized'],
    ['userData of negative length', `0000 ${topicsA} fffffffe`, 'userData', 'negative'],
    ['null owned partitions', `0001 ${v0} ffffffff`, 'ownedPartitions', 'null'],
    ['a negative number of owned topics', `0001 ${v0} 80000000`, 'ownedPartitions', 'negative'],
    ['2^31 - 1 owned topics', `0001 ${v0} 7fffffff`, 'ownedPartitions', 'oversized'],
    ['null partitions', `0001 ${v0} 00000001 0001 61 ffffffff`, 'ownedPartitions', 'null'],
    ['2^31 - 1 partitions', `0001 ${v0} 00000001 0001 61 7fffffff`, 'ownedPartitions', 'oversized'],
    ['a partition cut off', `0001 ${v0} 00000001 0001 61 00000001 000000`, 'ownedPartitions', 'oversized'],
    ['a rack cut off', `0003 ${v2} 0004 7231`, 'rackId', 'oversized'],
    ['a rack of negative length', `0003 ${v2} fffe`, 'rackId', 'negative'],
  ])('%s', (_, hex, field, reason) => {
    expect(decodeSubscription(bytesOf(hex))).toMatchObject({
      topics: ['a'],
      ownedPartitions: [],
      generationId: null,
      rackId: null,
      problem: { field, reason },
    })
  })

  test('as NestJS writes it: version 1, the body of version 0, JSON', () => {
    const json = new TextEncoder().encode('{"previousAssignment":{"a":0}}')
    const bytes = encodeSubscription({ version: 0, topics: ['a'], userData: json })
    bytes[1] = 1
    expect(decodeSubscription(bytes)).toMatchObject({ topics: ['a'], userData: json, problem: { reason: 'truncated' } })
  })

  test('cut off anywhere: all topics or none, and claims only where nothing is missing', () => {
    const owned = [{ topic: 'a', partitions: [0, 1] }]
    const whole = encodeSubscription({ topics: ['a', 'b'], ownedPartitions: owned, generationId: 7, rackId: 'r1' })
    const endOfTopics = 2 + 4 + 3 + 3
    for (let length = 0; length < whole.length; length++) {
      const { topics, ownedPartitions, generationId, problem } = decodeSubscription(whole.subarray(0, length))
      expect(topics).toEqual(length < endOfTopics ? [] : ['a', 'b'])
      expect(ownedPartitions).toEqual([])
      expect(generationId).toBeNull()
      expect(problem).not.toBeNull()
    }
    expect(decodeSubscription(whole).problem).toBeNull()
  })
})

describe('what looks odd and is legal', () => {
  test('no topics', () => {
    expect(decodeSubscription(bytesOf(`0000 00000000 ${noUserData}`))).toMatchObject({ topics: [], problem: null })
  })

  test('topics and owned topics named twice stay as sent', () => {
    const twice = '00000002 0001 61 00000001 00000000 0001 61 00000001 00000001'
    const bytes = bytesOf(`0001 00000002 0001 61 0001 61 ${noUserData} ${twice}`)
    expect(decodeSubscription(bytes)).toMatchObject({
      topics: ['a', 'a'],
      ownedPartitions: [
        { topic: 'a', partitions: [0] },
        { topic: 'a', partitions: [1] },
      ],
      problem: null,
    })
  })

  test('a negative partition is a claim like any other: whoever plans refuses it', () => {
    const bytes = bytesOf(`0001 ${topicsA} ${noUserData} 00000001 0001 61 00000002 ffffffff 80000000`)
    expect(decodeSubscription(bytes)).toMatchObject({
      ownedPartitions: [{ topic: 'a', partitions: [-1, -(2 ** 31)] }],
      problem: null,
    })
  })

  test('bytes behind the last field', () => {
    expect(decodeSubscription(bytesOf(`0000 ${topicsA} ${noUserData} 010203`))).toMatchObject({
      topics: ['a'],
      trailing: 3,
      problem: null,
    })
    expect(decodeAssignment(bytesOf(`0000 00000000 ${noUserData} 01`))).toMatchObject({ trailing: 1, problem: null })
  })

  test('a name that is no UTF-8 is read with replacement characters, a byte order mark is part of its name', () => {
    const bytes = bytesOf(`0000 00000003 0002 61ff 0004 efbbbf61 0001 61 ${noUserData}`)
    expect(decodeSubscription(bytes)).toMatchObject({ topics: ['a\ufffd', '\ufeffa', 'a'], problem: null })
  })

  test('names that are properties of every object', () => {
    const topics = ['10', '9', '__proto__', 'constructor', 'hasOwnProperty', 'toString']
    const partitions = topics.map(topic => ({ topic, partitions: [0, 3] }))
    expect(decodeSubscription(encodeSubscription({ topics, ownedPartitions: partitions }))).toMatchObject({
      topics,
      ownedPartitions: partitions,
    })
    expect(decodeAssignment(encodeAssignment({ partitions })).partitions).toEqual(partitions)
    expect(decodeStickyUserData(encodeStickyUserData(partitions, 1)).partitions).toEqual(partitions)
  })
})

describe('assignment', () => {
  test.each([
    ['no bytes: what kafkajs gives a member that its leader forgot', '', 'version', 'empty'],
    ['one byte', '00', 'version', 'truncated'],
    ['a negative version', '8000 00000000 ffffffff', 'version', 'negative'],
    ['nothing but a version', '0000', 'partitions', 'truncated'],
    ['a null list', '0000 ffffffff ffffffff', 'partitions', 'null'],
    ['2^31 - 1 topics', '0000 7fffffff', 'partitions', 'oversized'],
    ['2^31 - 1 partitions', '0000 00000001 0001 61 7fffffff ffffffff', 'partitions', 'oversized'],
    ['a list cut off', '0000 00000002 0001 61 00000001 00000000 0001 62', 'partitions', 'truncated'],
  ])('%s: nothing is assigned', (_, hex, field, reason) => {
    expect(decodeAssignment(bytesOf(hex))).toMatchObject({ partitions: [], asSent: [], problem: { field, reason } })
  })

  test.each([
    ['no userData field', '', 'truncated'],
    ['userData longer than the bytes', '00000009 01', 'oversized'],
  ])('%s: what is assigned is kept', (_, hex, reason) => {
    expect(decodeAssignment(bytesOf(`0000 00000001 0001 61 00000001 00000004 ${hex}`))).toMatchObject({
      partitions: [{ topic: 'a', partitions: [4] }],
      userData: null,
      problem: { field: 'userData', reason },
    })
  })

  test('a negative partition is left out, and said', () => {
    const { partitions, problem } = decodeAssignment(
      bytesOf('0000 00000001 0001 61 00000002 ffffffff 00000004 ffffffff'),
    )
    expect(partitions).toEqual([{ topic: 'a', partitions: [4] }])
    expect(problem).toMatchObject({ field: 'partitions', reason: 'negative-partition' })
  })
})

describe('userData of sticky that has no known layout claims nothing, and says so', () => {
  test.each([
    ['JSON', '7b2270726576696f757341737369676e6d656e74223a7b7d7d'],
    ['two bytes', '0000'],
    ['a count that is negative', 'ffffffff 00000001'],
    ['a list cut off', '00000002 0001 74 00000001 00000000'],
    ["kafka-python's version and no more", '0001'],
    ["kafka-python's layout of another version", '0002 00000000 00000003'],
  ])('%s', (_, hex) => {
    expect(decodeStickyUserData(bytesOf(hex))).toEqual({
      layout: null,
      partitions: [],
      generation: null,
      trailing: 0,
      problem: { field: 'userData', reason: 'unknown-layout', offset: 0 },
    })
  })
})

test('a problem in words names the field, the byte and the fault', () => {
  const { problem } = decodeSubscription(bytesOf(`0001 ${topicsA} ${noUserData}`))
  expect(describeProblem(problem!)).toBe('ownedPartitions at byte 13: the bytes end before the field does')
})
