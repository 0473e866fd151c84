import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { StickyAssignorError } from '../errors'
import { encodeStickyUserData, encodeSubscription } from '../protocol'
import { planRequest } from '.'
import { decodeBase64 } from './base64'

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

test('the request of the documentation is answered as it says', () => {
  const { planMs, ...answer } = planRequest({
    strategy: 'sticky',
    topics: { orders: 6, audit: [['r1', 'r2'], ['r2']] },
    members: [
      { memberId: 'X', topics: ['orders'], owned: { orders: [3, 4] }, generation: 7, instanceId: null, rackId: null },
      { memberId: 'Y', metadata: base64(encodeSubscription({ topics: ['orders'] })) },
    ],
  })
  expect(answer).toMatchObject({
    strategy: 'sticky',
    assignment: { X: { orders: [2, 3, 4] }, Y: { orders: [0, 1, 5] } },
    kept: 2,
    moved: 4,
    transferred: 0,
    unclaimed: 4,
    withheld: {},
    revoked: {},
    minimumMoves: 4,
    balance: { min: 3, max: 3 },
    balanceBefore: { min: 0, max: 2 },
    spread: { sumOfSquares: 18 },
    rejectedClaims: [],
    missingTopics: [],
    metadataProblems: [],
  })
  expect(planMs).toBeGreaterThan(0)
})

test('cooperative-sticky withholds what another member still holds, and names what each gives up', () => {
  const answer = planRequest({
    strategy: 'cooperative-sticky',
    topics: { t: 4 },
    members: [
      { memberId: 'A', topics: ['t'], owned: { t: [0, 1, 2, 3] }, generation: 1 },
      { memberId: 'B', topics: ['t'], owned: {} },
    ],
  })
  expect(answer).toMatchObject({
    assignment: { A: { t: [0, 1] }, B: {} },
    withheld: { B: { t: [2, 3] } },
    revoked: { A: { t: [2, 3] } },
    kept: 2,
    moved: 0,
    minimumMoves: 2,
  })
})

test.each(['sticky', 'cooperative-sticky', 'range', 'roundrobin', 'kafka-sticky'])('%s is a strategy', strategy => {
  const members = [{ memberId: 'A', topics: ['t', 'gone'], generation: null }]
  const answer = planRequest({ strategy, topics: { t: 2 }, members })
  expect(answer).toMatchObject({ strategy, assignment: { A: { t: [0, 1] } }, missingTopics: ['gone'] })
})

test('names that objects know are names like any other', () => {
  const request = `{"strategy":"sticky","topics":{"__proto__":2,"constructor":1,"10":1},"members":[
    {"memberId":"__proto__","topics":["__proto__","constructor"],"owned":{"__proto__":[1]},"generation":1},
    {"memberId":"toString","topics":["10","hasOwnProperty"]}]}`
  const { assignment, missingTopics } = planRequest(request)
  expect(JSON.stringify(assignment)).toBe('{"__proto__":{"__proto__":[0,1],"constructor":[0]},"toString":{"10":[0]}}')
  expect(missingTopics).toEqual(['hasOwnProperty'])
})

test('reasons are given on request', () => {
  const request = { strategy: 'sticky', topics: { t: 2 }, members: [{ memberId: 'A', topics: ['t'] }] }
  expect(planRequest(request)).not.toHaveProperty('reasons')
  expect(planRequest({ ...request, reasons: true }).reasons).toHaveLength(2)
})

describe('members given by their metadata', () => {
  const topics = ['t']
  const plan = (strategy: string, metadata: Uint8Array, fields: object = {}) =>
    planRequest({
      strategy,
      topics: { t: 4 },
      members: [
        { memberId: 'A', metadata: base64(metadata), ...fields },
        { memberId: 'B', topics },
      ],
    })
  const owned = [{ topic: 't', partitions: [2, 3] }]

  test('sticky takes the claims from the userData, cooperative-sticky from ownedPartitions', () => {
    const inUserData = encodeSubscription({ topics, userData: encodeStickyUserData(owned, 3) })
    const inOwned = encodeSubscription({ topics, ownedPartitions: owned, generationId: 3 })
    expect(plan('sticky', inUserData).kept).toBe(2)
    expect(plan('sticky', inOwned).kept).toBe(0)
    expect(plan('cooperative-sticky', inOwned)).toMatchObject({ kept: 2, withheld: {} })
  })

  test('damage behind the topics costs the claims, without intact topics the member has none', () => {
    const whole = encodeSubscription({ topics, ownedPartitions: owned, generationId: 3 })
    const damaged = plan('cooperative-sticky', whole.subarray(0, whole.length - 8))
    expect(damaged).toMatchObject({ kept: 0, balance: { min: 2, max: 2 } })
    expect(damaged.metadataProblems).toEqual([
      { memberId: 'A', message: expect.stringMatching(/^ownedPartitions|^generationId/) },
    ])
    const garbage = plan('cooperative-sticky', Uint8Array.of(0, 1, 255, 255, 255))
    expect(garbage.assignment).toEqual({ A: {}, B: { t: [0, 1, 2, 3] } })
    expect(garbage.metadataProblems).toMatchObject([{ memberId: 'A' }])
    expect(plan('sticky', new Uint8Array()).assignment).toEqual({ A: {}, B: { t: [0, 1, 2, 3] } })
  })

  test('a static member says its instance id beside, and its rack where the metadata have none', () => {
    const answer = planRequest({
      strategy: 'range',
      topics: { t: 1 },
      members: [
        { memberId: 'A', topics },
        { memberId: 'Z', metadata: base64(encodeSubscription({ topics })), instanceId: 'i' },
      ],
    })
    expect(answer.assignment).toEqual({ A: {}, Z: { t: [0] } })
    const racks = planRequest({
      strategy: 'range',
      topics: { t: [['r1'], ['r2']] },
      members: [
        { memberId: 'A', metadata: base64(encodeSubscription({ topics, rackId: 'r2' })) },
        { memberId: 'B', metadata: base64(encodeSubscription({ topics, version: 0 })), rackId: 'r1' },
      ],
    })
    expect(racks.assignment).toEqual({ A: { t: [1] }, B: { t: [0] } })
  })

  test('bytes of all clients that were recorded', () => {
    const rows = readFileSync(join(__dirname, '../../test/cases/client-wire.jsonl'), 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(
        line => JSON.parse(line) as { metadata_base64?: string; protocolName: string; decoded: { topics: string[] } },
      )
      .filter(row => row.metadata_base64)
    expect(rows.length).toBeGreaterThan(20)
    for (const row of rows) {
      const strategy = ['sticky', 'range', 'roundrobin'].includes(row.protocolName)
        ? row.protocolName
        : 'cooperative-sticky'
      const members = [{ memberId: 'A', metadata: row.metadata_base64 }]
      const answer = planRequest({
        strategy,
        topics: Object.fromEntries(row.decoded.topics.map(t => [t, 100])),
        members,
      })
      expect(Object.keys(answer.assignment.A!)).toEqual([...new Set(row.decoded.topics)].sort())
      expect(answer.metadataProblems).toEqual([])
    }
  })
})

describe('a request that cannot be read names the field', () => {
  const member = { memberId: 'A', topics: ['t'] }
  const request = { strategy: 'sticky', topics: { t: 1 }, members: [member] }
  const broken: [field: string, value: unknown][] = [
    ['request', null],
    ['request', []],
    ['request', 7],
    ['request', '{"strategy":'],
    ['request', ''],
    ['strategy', {}],
    ['strategy', { ...request, strategy: 'stickier' }],
    ['strategy', { ...request, strategy: 'constructor' }],
    ['reasons', { ...request, reasons: 1 }],
    ['topics', { ...request, topics: undefined }],
    ['topics', { ...request, topics: [] }],
    ['topics.t', { ...request, topics: { t: -1 } }],
    ['topics.t', { ...request, topics: { t: 1.5 } }],
    ['topics.t', { ...request, topics: { t: 1e15 } }],
    ['topics["a b"]', { ...request, topics: { 'a b': '3' } }],
    ['topics.t[1]', { ...request, topics: { t: [['r1'], 'r1'] } }],
    ['topics.t[1][0]', { ...request, topics: { t: [['r1'], [1]] } }],
    ['members', { ...request, members: undefined }],
    ['members', { ...request, members: {} }],
    ['members[1]', { ...request, members: [member, null] }],
    ['members[0].memberId', { ...request, members: [{ topics: [] }] }],
    ['members[1].memberId', { ...request, members: [member, member] }],
    ['members[0].topics', { ...request, members: [{ memberId: 'A' }] }],
    ['members[0].topics', { ...request, members: [{ memberId: 'A', topics: 't' }] }],
    ['members[0].topics[1]', { ...request, members: [{ memberId: 'A', topics: ['t', null] }] }],
    ['members[0].owned', { ...request, members: [{ ...member, owned: 't' }] }],
    ['members[0].owned.t', { ...request, members: [{ ...member, owned: { t: 0 } }] }],
    ['members[0].owned[0].topic', { ...request, members: [{ ...member, owned: [{ partitions: [] }] }] }],
    ['members[0].released[0].partitions', { ...request, members: [{ ...member, released: [{ topic: 't' }] }] }],
    ['members[0].generation', { ...request, members: [{ ...member, generation: '7' }] }],
    ['members[0].instanceId', { ...request, members: [{ ...member, instanceId: 1 }] }],
    ['members[0].rackId', { ...request, members: [{ ...member, rackId: [] }] }],
    ['members[0].metadata', { ...request, members: [{ memberId: 'A', metadata: 'AAM=!' }] }],
    ['members[0].metadata', { ...request, members: [{ memberId: 'A', metadata: 5 }] }],
    ['members[0].topics', { ...request, members: [{ ...member, metadata: 'AAAA' }] }],
  ]

  test.each(broken.map(([field, value]) => [field, JSON.stringify(value), value] as const))(
    '%s in %s',
    (field, _, value) => {
      let thrown: unknown
      try {
        planRequest(value)
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(StickyAssignorError)
      expect(thrown).toMatchObject({
        code: 'STICKY_ERR_INVALID_REQUEST',
        field,
        message: expect.stringMatching(/expected .+, got .+/s),
      })
    },
  )

  test('what members claim is never such an error', () => {
    const claims = { t: [0, -1, 99, null, '0', 1.5, [], {}], other: [0] }
    const answer = planRequest({ ...request, members: [{ ...member, owned: claims }] })
    expect(answer.kept).toBe(1)
    expect(answer.rejectedClaims.reduce((sum, { count }) => sum + count, 0)).toBe(8)
  })
})

test('base64 is read as Node reads it, and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      const buffer = Buffer.from(bytes)
      for (const text of [buffer.toString('base64'), buffer.toString('base64url')])
        expect(decodeBase64(text)).toEqual(bytes)
    }),
  )
  for (const text of ['A', 'AAAAA', 'AA=', 'A===', 'AA==AA', 'AA A', 'AAAÄ', '=']) expect(decodeBase64(text)).toBeNull()
})
