import { describe, expect, test } from '@jest/globals'
import type { PlanMember } from '../planner/types'
import {
  claimsOf,
  decodeSubscription,
  encodeCooperativeUserData,
  encodeStickyUserData,
  encodeSubscription,
  type MemberClaims,
  type SubscriptionFields,
} from '.'
import { writeSubscription } from './subscription'
import { bytesOf } from './testing/hex'
import { writeStickyUserData } from './user-data'

const inOwned = [{ topic: 'a', partitions: [0, 1] }]
const inUserData = [{ topic: 'a', partitions: [2] }]
const nothing: MemberClaims = { owned: [], released: [], generation: null, problem: null }

const claims = (strategy: string, fields: Omit<SubscriptionFields, 'topics'>): MemberClaims =>
  claimsOf(decodeSubscription(encodeSubscription({ topics: ['a'], ...fields })), strategy)

describe('sticky: what the userData says, and nothing else', () => {
  test('claims and generation come from the userData, also where the subscription contradicts (Java)', () => {
    const userData = encodeStickyUserData(inUserData, 4)
    expect(claims('sticky', { userData, ownedPartitions: inOwned, generationId: 9 })).toEqual({
      ...nothing,
      released: inUserData,
      generation: 4,
    })
  })

  test('without userData there are no claims, whatever the subscription says', () => {
    expect(claims('sticky', { ownedPartitions: inOwned, generationId: 9 })).toEqual(nothing)
    expect(claims('sticky', { userData: new Uint8Array(0), ownedPartitions: inOwned })).toEqual(nothing)
  })

  test('userData without a generation claims without one', () => {
    const userData = writeStickyUserData(inUserData, null, 'v0')
    expect(claims('sticky', { userData, generationId: 9 })).toEqual({ ...nothing, released: inUserData })
  })

  test('franz-go on rejoin: no claims and a generation are no claims', () => {
    expect(claims('sticky', { userData: bytesOf('00000000 00000002'), generationId: 2 })).toEqual(nothing)
    expect(claims('sticky', { userData: bytesOf('00000000') })).toEqual(nothing)
  })

  test('kafka-python on rejoin: its own layout', () => {
    const userData = writeStickyUserData(inUserData, 3, 'kafka-python')
    expect(claims('sticky', { version: 0, userData })).toEqual({ ...nothing, released: inUserData, generation: 3 })
  })

  test('userData that is not sticky claims nothing, and the reason is told', () => {
    const userData = new TextEncoder().encode('{"previousAssignment":{}}')
    expect(claims('sticky', { version: 0, userData })).toEqual({
      ...nothing,
      problem: { field: 'userData', reason: 'unknown-layout', offset: 0 },
    })
  })

  test("Kafka's sticky, as it is compared with, reads the same", () => {
    expect(claims('kafka-sticky', { userData: encodeStickyUserData(inUserData, 4) }).released).toEqual(inUserData)
  })
})

describe('cooperative-sticky: ownedPartitions are held, userData only fills what they leave open', () => {
  const strategy = 'cooperative-sticky'

  test('partitions and generation of the subscription', () => {
    const userData = encodeCooperativeUserData(4)
    expect(claims(strategy, { userData, ownedPartitions: inOwned, generationId: 9 })).toEqual({
      ...nothing,
      owned: inOwned,
      generation: 9,
    })
  })

  test.each<[string, Uint8Array, number | null]>([
    ['4 bytes (Java before 3.4)', encodeCooperativeUserData(4), 4],
    ["sticky's layout (librdkafka before generationId)", encodeStickyUserData(inUserData, 6), 6],
    ['nothing (kafka-python)', new Uint8Array(0), null],
    ['something else', bytesOf('7b7d'), null],
  ])('a subscription without generation takes it from the userData: %s', (_, userData, generation) => {
    const expected = { ...nothing, owned: inOwned, generation }
    expect(claims(strategy, { version: 1, userData, ownedPartitions: inOwned })).toEqual(expected)
    expect(claims(strategy, { userData, ownedPartitions: inOwned, generationId: -1 })).toEqual(expected)
  })

  test('franz-go and librdkafka say what they own a second time: it counts once, as held', () => {
    const userData = encodeStickyUserData(inOwned, 3)
    expect(claims(strategy, { userData, ownedPartitions: inOwned, generationId: 3 })).toEqual({
      ...nothing,
      owned: inOwned,
      generation: 3,
    })
  })

  test('beside empty ownedPartitions, userData of the layout of sticky are released claims of its generation', () => {
    expect(claims(strategy, { userData: encodeStickyUserData(inUserData, 6), generationId: 9 })).toEqual({
      ...nothing,
      released: inUserData,
      generation: 6,
    })
    expect(claims(strategy, { userData: writeStickyUserData(inUserData, null, 'v0'), generationId: 9 })).toEqual({
      ...nothing,
      released: inUserData,
    })
  })

  test.each([
    ['Java before its first assignment', 'ffffffff'],
    ['Java that has nothing', '00000002'],
    ["franz-go's empty list of version 0", '00000000'],
    ['franz-go and librdkafka that have nothing', '00000000 00000002'],
    ['librdkafka before its first assignment', ''],
  ])('beside empty ownedPartitions, %s claims nothing and is no fault', (_, hex) => {
    expect(claims(strategy, { userData: bytesOf(hex), generationId: 2 })).toEqual(nothing)
  })

  test('a topic without a partition is no claim, in either place', () => {
    const empty = [{ topic: 'a', partitions: [] }]
    const read = (userData: Uint8Array): MemberClaims =>
      claimsOf(decodeSubscription(writeSubscription({ topics: ['a'], ownedPartitions: empty, userData })), strategy)
    expect(read(encodeStickyUserData(inUserData, 6))).toMatchObject({ owned: [], released: inUserData })
    expect(read(writeStickyUserData(empty, 6))).toEqual(nothing)
  })

  test('a member that writes version 0 owns nothing', () => {
    expect(claims(strategy, { version: 0, ownedPartitions: inOwned, userData: encodeCooperativeUserData(4) })).toEqual(
      nothing,
    )
  })
})

test('range and roundrobin pass over userData that they do not know', () => {
  const userData = new TextEncoder().encode('{"zone":"a"}')
  expect(claims('range', { userData })).toEqual(nothing)
  expect(claims('roundrobin', { userData, ownedPartitions: inOwned, generationId: 2 })).toMatchObject({
    owned: inOwned,
  })
})

test.each(['sticky', 'cooperative-sticky', 'range'])(
  '%s: a damaged subscription claims nothing, and says so',
  strategy => {
    const whole = encodeSubscription({
      topics: ['a'],
      userData: encodeStickyUserData(inUserData, 4),
      ownedPartitions: inOwned,
      generationId: 4,
    })
    const damaged = decodeSubscription(whole.subarray(0, whole.length - 1))
    expect(damaged.topics).toEqual(['a'])
    expect(claimsOf(damaged, strategy)).toEqual({ ...nothing, problem: damaged.problem })
  },
)

test('claims are what the planner takes', () => {
  const { owned, released, generation } = claims('cooperative-sticky', { ownedPartitions: inOwned, generationId: 1 })
  const member: PlanMember = { memberId: 'm', topics: ['a'], owned, released, generation }
  expect(member.owned).toEqual(inOwned)
})
