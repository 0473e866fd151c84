import { describe, expect, test } from '@jest/globals'
import {
  decodeAssignment,
  decodeCooperativeUserData,
  decodeStickyUserData,
  decodeSubscription,
  encodeAssignment,
  encodeCooperativeUserData,
  encodeStickyUserData,
  encodeSubscription,
  type ProtocolVersion,
} from '.'
import { bytesOf } from './testing/hex'
import { writeStickyUserData } from './user-data'

// Bytes of Kafka's generated classes (ConsumerProtocolSubscription, ConsumerProtocolAssignment) and its assignors.

const owned = [
  { topic: 'a', partitions: [0, 2] },
  { topic: 'b', partitions: [1] },
]
const v0Body = '00000002 0001 61 0001 62 00000004 00000005'
const v1Body = `${v0Body} 00000002 0001 61 00000002 00000000 00000002 0001 62 00000001 00000001`
const all = {
  topics: ['a', 'b'],
  userData: bytesOf('00000005'),
  ownedPartitions: owned,
  generationId: 5,
  rackId: 'r1',
}

describe('subscription', () => {
  test.each<[ProtocolVersion, string, object]>([
    [0, `0000 ${v0Body}`, { ownedPartitions: [], generationId: null, rackId: null }],
    [1, `0001 ${v1Body}`, { generationId: null, rackId: null }],
    [2, `0002 ${v1Body} 00000005`, { rackId: null }],
    [3, `0003 ${v1Body} 00000005 0002 7231`, {}],
  ])('version %i', (version, hex, absent) => {
    const bytes = bytesOf(hex)
    expect(encodeSubscription({ version, ...all })).toEqual(bytes)
    expect(decodeSubscription(bytes)).toEqual({ version, ...all, ...absent, trailing: 0, problem: null })
  })

  test('a new member, in the version that is written where none is asked for', () => {
    expect(encodeSubscription({ topics: ['a'] })).toEqual(
      bytesOf('0003 00000001 0001 61 ffffffff 00000000 ffffffff ffff'),
    )
  })

  test('an empty rack is written as none', () => {
    expect(encodeSubscription({ topics: ['a'], rackId: '' })).toEqual(encodeSubscription({ topics: ['a'] }))
  })

  test('a version to come is read as far as version 3 reaches', () => {
    const bytes = bytesOf(`0064 ${v1Body} 00000005 0002 7231 abcdef`)
    expect(decodeSubscription(bytes)).toEqual({ version: 100, ...all, trailing: 3, problem: null })
  })

  test.each([
    ['-1', 'ffffffff'],
    ['below -1', 'fffffffe'],
  ])('a generation of %s is none', (_, hex) => {
    expect(decodeSubscription(bytesOf(`0002 00000000 ffffffff 00000000 ${hex}`))).toMatchObject({
      generationId: null,
      problem: null,
    })
  })
})

describe('assignment', () => {
  const hex = '00000002 0001 61 00000002 00000000 00000002 0001 62 00000001 00000001 ffffffff'

  test.each<ProtocolVersion>([0, 1, 2, 3])('version %i: the layout is the same', version => {
    const bytes = bytesOf(`000${version} ${hex}`)
    expect(encodeAssignment({ version, partitions: owned })).toEqual(bytes)
    expect(decodeAssignment(bytes)).toEqual({
      version,
      partitions: owned,
      asSent: owned,
      userData: null,
      trailing: 0,
      problem: null,
    })
  })

  test('of nothing', () => {
    expect(encodeAssignment({ partitions: [] })).toEqual(bytesOf('0003 00000000 ffffffff'))
  })

  test('a topic that is named twice is merged, and kept as sent beside (librdkafka)', () => {
    const twice =
      '0000 00000003 0002 7761 00000001 00000002 0002 7762 00000002 00000000 00000001 0002 7761 00000002 00000001 00000000 ffffffff'
    const { partitions, asSent, problem } = decodeAssignment(bytesOf(twice))
    expect(problem).toBeNull()
    expect(partitions).toEqual([
      { topic: 'wa', partitions: [0, 1, 2] },
      { topic: 'wb', partitions: [0, 1] },
    ])
    expect(asSent).toEqual([
      { topic: 'wa', partitions: [2] },
      { topic: 'wb', partitions: [0, 1] },
      { topic: 'wa', partitions: [1, 0] },
    ])
  })
})

describe('userData of sticky', () => {
  // As a Java member writes it: partitions in the order in which it got them.
  const java = '00000002 0001 61 00000002 00000003 00000002 0001 62 00000002 00000001 00000000 00000007'
  const asWritten = [
    { topic: 'a', partitions: [3, 2] },
    { topic: 'b', partitions: [1, 0] },
  ]

  test('version 1', () => {
    expect(writeStickyUserData(asWritten, 7)).toEqual(bytesOf(java))
    expect(decodeStickyUserData(bytesOf(java))).toEqual({
      layout: 'v1',
      partitions: asWritten,
      generation: 7,
      trailing: 0,
      problem: null,
    })
  })

  test('version 1 of an empty assignment', () => {
    expect(encodeStickyUserData([], 7)).toEqual(bytesOf('00000000 00000007'))
    expect(decodeStickyUserData(bytesOf('00000000 00000007'))).toMatchObject({
      layout: 'v1',
      partitions: [],
      generation: 7,
    })
  })

  test('version 1 with an unknown generation (aiokafka)', () => {
    expect(encodeStickyUserData([], null)).toEqual(bytesOf('00000000 ffffffff'))
    expect(decodeStickyUserData(bytesOf('00000000 ffffffff'))).toMatchObject({ layout: 'v1', generation: null })
  })

  test('version 0 has no generation', () => {
    const bytes = bytesOf('00000001 0001 74 00000001 00000000')
    expect(writeStickyUserData([{ topic: 't', partitions: [0] }], null, 'v0')).toEqual(bytes)
    expect(decodeStickyUserData(bytes)).toEqual({
      layout: 'v0',
      partitions: [{ topic: 't', partitions: [0] }],
      generation: null,
      trailing: 0,
      problem: null,
    })
  })

  test('an empty list of version 0 (franz-go before its first assignment)', () => {
    expect(decodeStickyUserData(bytesOf('00000000'))).toMatchObject({ layout: 'v0', partitions: [], problem: null })
  })

  test("kafka-python's int16 in front of version 1", () => {
    const bytes = bytesOf('0001 00000001 0001 74 00000001 00000002 00000003')
    expect(writeStickyUserData([{ topic: 't', partitions: [2] }], 3, 'kafka-python')).toEqual(bytes)
    expect(decodeStickyUserData(bytes)).toMatchObject({
      layout: 'kafka-python',
      partitions: [{ topic: 't', partitions: [2] }],
      generation: 3,
      problem: null,
    })
  })

  test("kafka-python's layout has to end with the bytes", () => {
    expect(decodeStickyUserData(bytesOf('0001 00000000 00000003 00'))).toMatchObject({
      layout: null,
      problem: { reason: 'unknown-layout' },
    })
  })

  test('bytes behind version 1 are passed over', () => {
    expect(decodeStickyUserData(bytesOf(`${java} abcd`))).toMatchObject({ layout: 'v1', generation: 7, trailing: 2 })
  })

  test('none, or of no length, claims nothing and is no fault', () => {
    const none = { layout: null, partitions: [], generation: null, problem: null }
    for (const bytes of [null, undefined, new Uint8Array(0)]) expect(decodeStickyUserData(bytes)).toMatchObject(none)
  })
})

describe('userData of cooperative-sticky', () => {
  test.each([
    [10, '0000000a'],
    [null, 'ffffffff'],
  ])('generation %p', (generation, hex) => {
    expect(encodeCooperativeUserData(generation)).toEqual(bytesOf(hex))
    expect(decodeCooperativeUserData(bytesOf(hex))).toBe(generation)
  })

  test.each(['', '0000', '00000000 00000007', 'fffffffe'])('%p tells none', hex => {
    expect(decodeCooperativeUserData(bytesOf(hex))).toBeNull()
  })
})
