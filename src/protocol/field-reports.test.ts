import { describe, expect, test } from '@jest/globals'
import {
  canonicalPartitions,
  claimsOf,
  decodeAssignment,
  decodeStickyUserData,
  decodeSubscription,
  encodeAssignment,
  encodeStickyUserData,
  encodeSubscription,
} from '.'
import { bytesOf } from './testing/hex'
import { strictAssignment, strictStickyUserData, strictSubscription } from './testing/strict'
import { writeStickyUserData } from './user-data'

// The parts of test/cases/field-reports.md that bytes can get wrong, by id.

// kafkajs' own readers: what stock members and tools on kafkajs make of our bytes.
const { MemberAssignment, MemberMetadata } = require('kafkajs').AssignerProtocol as {
  MemberAssignment: { decode(bytes: Buffer): { version: number; assignment: Record<string, number[]> } }
  MemberMetadata: { decode(bytes: Buffer): { version: number; topics: string[]; userData: Buffer } }
}

/** The bytes as kafkajs would be handed them. */
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** What our eager member sends. */
const eagerMetadata = (topics: string[], claims: { topic: string; partitions: number[] }[], generation: number) =>
  encodeSubscription({ topics, userData: encodeStickyUserData(claims, generation), generationId: generation })

describe('B12: nonsense partitions', () => {
  const nonsense = [null, Number.POSITIVE_INFINITY, Number.NaN, -1, 1.5, '0', 2 ** 31, undefined] as number[]

  test.each(nonsense.map(value => [value]))('%p is left out by every encoder, and what is right is kept', value => {
    const claimed = [
      { topic: 'S', partitions: [value] },
      { topic: 'T', partitions: [value, 0] },
    ]
    const right = [{ topic: 'T', partitions: [0] }]
    expect(encodeAssignment({ partitions: claimed })).toEqual(encodeAssignment({ partitions: right }))
    expect(encodeStickyUserData(claimed, 3)).toEqual(encodeStickyUserData(right, 3))
    expect(encodeSubscription({ topics: ['T'], ownedPartitions: claimed })).toEqual(
      encodeSubscription({ topics: ['T'], ownedPartitions: right }),
    )
  })

  test('a topic with an empty list is the same as no topic', () => {
    expect(encodeAssignment({ partitions: [{ topic: 'T', partitions: [] }] })).toEqual(
      encodeAssignment({ partitions: [] }),
    )
  })
})

test('B22: metadata carry every field that their version declares', () => {
  const bytes = encodeSubscription({ topics: ['testtopic'] })
  expect(strictSubscription(bytes)).toEqual({
    version: 3,
    topics: ['testtopic'],
    userData: null,
    ownedPartitions: [],
    generationId: -1,
    rackId: null,
  })
  for (const version of [0, 1, 2, 3] as const) {
    expect(strictSubscription(encodeSubscription({ version, topics: ['testtopic'] })).version).toBe(version)
  }
})

test('B30: a member that has an assignment encodes it as often as asked, to the same bytes', () => {
  const assigned = decodeAssignment(encodeAssignment({ partitions: [{ topic: 'first_topic', partitions: [0, 1] }] }))
  const encode = () =>
    encodeSubscription({
      topics: ['first_topic'],
      userData: encodeStickyUserData(assigned.partitions, 1),
      generationId: 1,
    })
  const once = encode()
  expect(encode()).toEqual(once)
  expect(claimsOf(decodeSubscription(once), 'sticky')).toMatchObject({ released: assigned.partitions, generation: 1 })
})

test('B60: claims and topics in any order are the same bytes', () => {
  const one = eagerMetadata(
    ['b', 'a'],
    [
      { topic: 'b', partitions: [1, 0] },
      { topic: 'a', partitions: [2] },
    ],
    4,
  )
  const other = eagerMetadata(
    ['a', 'b'],
    [
      { topic: 'b', partitions: [0] },
      { topic: 'a', partitions: [2] },
      { topic: 'b', partitions: [1] },
    ],
    4,
  )
  expect(one).toEqual(other)
})

describe('B66: a strict reader reads assignment and metadata to the last byte', () => {
  test.each([
    ['an empty member', []],
    ['two topics', ['a', 'b'].map(topic => ({ topic, partitions: [0, 5] }))],
    ['a name of two bytes a letter', [{ topic: 'é', partitions: [7] }]],
  ])('%s', (_, partitions) => {
    const topics = partitions.map(({ topic }) => topic)
    const assignment = encodeAssignment({ partitions })
    expect(strictAssignment(assignment)).toEqual({ version: 3, partitions, userData: null })
    const metadata = encodeSubscription({ topics, ownedPartitions: partitions, generationId: 2, rackId: 'r1' })
    expect(strictSubscription(metadata)).toMatchObject({ topics, ownedPartitions: partitions, generationId: 2 })

    expect(MemberAssignment.decode(asBuffer(assignment)).assignment).toEqual(
      Object.fromEntries(partitions.map(entry => [entry.topic, entry.partitions])),
    )
    expect(MemberMetadata.decode(asBuffer(metadata)).topics).toEqual(topics)
  })
})

test.each([0, 1, 1000])('B67: metadata with %i claims parse as the standard envelope, userData included', count => {
  const claims = count === 0 ? [] : [{ topic: 'T', partitions: Array.from({ length: count }, (_, i) => i) }]
  const { userData, ownedPartitions, generationId } = strictSubscription(eagerMetadata(['T'], claims, 8))
  expect(ownedPartitions).toEqual([])
  expect(generationId).toBe(8)
  expect(strictStickyUserData(userData!)).toEqual({ partitions: claims, generation: 8 })
})

test('B81: a member of the old schema next to new ones', () => {
  const newer = decodeStickyUserData(encodeStickyUserData([{ topic: 'T', partitions: [0, 2] }], 1))
  const older = decodeStickyUserData(writeStickyUserData([{ topic: 'T', partitions: [1] }], null, 'v0'))
  expect(newer).toMatchObject({ partitions: [{ topic: 'T', partitions: [0, 2] }], generation: 1 })
  expect(older).toMatchObject({ partitions: [{ topic: 'T', partitions: [1] }], generation: null, problem: null })
})

test('B88: a Java member without userData is read, and a member with nothing gets bytes that say so', () => {
  const java = decodeSubscription(bytesOf('0003 00000001 0001 54 ffffffff 00000000 ffffffff ffff'))
  expect(java).toMatchObject({ topics: ['T'], userData: null, problem: null })
  expect(claimsOf(java, 'sticky')).toEqual({ owned: [], released: [], generation: null, problem: null })
  // Fewer than two bytes make a Java member throw.
  expect(strictAssignment(encodeAssignment({ partitions: canonicalPartitions([]) }))).toMatchObject({ partitions: [] })
})
