import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { decodeAssignment, encodeAssignment, writeAssignment } from './assignment'
import { canonicalPartitions } from './canonical'
import { decodeSubscription, encodeSubscription, type ProtocolVersion, writeSubscription } from './subscription'
import type { TopicPartitions } from './types'
import { decodeCooperativeUserData, decodeStickyUserData, writeStickyUserData } from './user-data'

/** Bytes that other clients sent to a broker, with what an independent decoder reads in them. */
interface Row {
  client: string
  strategy: string
  phase: string
  metadata_base64?: string
  assignment_base64?: string
  decoded: {
    version: number
    topics?: string[]
    partitions?: TopicPartitions[]
    userData_base64: string | null
    ownedPartitions?: TopicPartitions[]
    generationId?: number
    rackId?: string | null
    trailing: number
  }
  userData?: { kind: string; partitions?: TopicPartitions[]; generation?: number; trailing?: number }
}

const rows = readFileSync(join(__dirname, '../../test/cases/client-wire.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line, i): [string, Row] => {
    const row = JSON.parse(line) as Row
    return [`line ${i + 1}: ${row.client} ${row.strategy} ${row.phase}`, row]
  })
const subscriptions = rows.filter(([, row]) => row.metadata_base64 !== undefined)
const assignments = rows.filter(([, row]) => row.assignment_base64 !== undefined)

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))
const base64Of = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('base64')

test('every row is a subscription or an assignment', () => {
  expect(subscriptions.length + assignments.length).toBe(rows.length)
  expect(rows.length).toBeGreaterThan(70)
})

describe('subscriptions of real clients', () => {
  test.each(subscriptions)('%s: reads as the independent decoder does', (_, row) => {
    const { version, topics, userData, ownedPartitions, generationId, rackId, trailing, problem } = decodeSubscription(
      bytesOf(row.metadata_base64!),
    )
    expect(problem).toBeNull()
    // The independent decoder leaves out what the version does not have, and gives an absent generation as -1.
    expect({
      version,
      topics,
      userData_base64: base64Of(userData),
      ...(version! >= 1 && { ownedPartitions }),
      ...(version! >= 2 && { generationId: generationId ?? -1 }),
      ...(version! >= 3 && { rackId }),
      trailing,
    }).toEqual(row.decoded)
  })

  test.each(subscriptions)('%s: an encoder that keeps order gives the same bytes', (_, row) => {
    const decoded = decodeSubscription(bytesOf(row.metadata_base64!))
    const bytes = writeSubscription({ ...decoded, version: decoded.version as ProtocolVersion })
    expect(base64Of(bytes)).toBe(row.metadata_base64)
  })

  test.each(subscriptions)('%s: canonical bytes encode to themselves', (_, row) => {
    const again = (bytes: Uint8Array): Uint8Array => {
      const decoded = decodeSubscription(bytes)
      return encodeSubscription({ ...decoded, version: decoded.version as ProtocolVersion })
    }
    const once = again(bytesOf(row.metadata_base64!))
    expect(again(once)).toEqual(once)
    const { topics, ownedPartitions } = decodeSubscription(once)
    expect([...topics]).toEqual([...row.decoded.topics!].sort())
    expect(ownedPartitions).toEqual(row.decoded.ownedPartitions ?? [])
  })

  test.each(subscriptions)('%s: its userData is of the kind that the row says', (_, { metadata_base64, userData }) => {
    const { userData: bytes } = decodeSubscription(bytesOf(metadata_base64!))
    const sticky = decodeStickyUserData(bytes)
    switch (userData!.kind) {
      case 'null':
        return expect(bytes).toBeNull()
      case 'empty':
        return expect(bytes).toHaveLength(0)
      case '4-bytes':
        return expect(decodeCooperativeUserData(bytes) ?? -1).toBe(userData!.generation)
      case 'sticky-v1':
      case 'kafka-python-v1': {
        const layout = userData!.kind === 'sticky-v1' ? 'v1' : 'kafka-python'
        expect(sticky).toEqual({
          layout,
          partitions: userData!.partitions,
          generation: userData!.generation! < 0 ? null : userData!.generation,
          trailing: userData!.trailing,
          problem: null,
        })
        return expect(base64Of(writeStickyUserData(sticky.partitions, sticky.generation, layout))).toBe(base64Of(bytes))
      }
      default:
        throw new Error(`no such kind: ${userData!.kind}`)
    }
  })
})

describe('assignments of real leaders', () => {
  test.each(assignments)('%s: reads as the independent decoder does', (_, row) => {
    const { version, asSent, userData, trailing, problem } = decodeAssignment(bytesOf(row.assignment_base64!))
    expect(problem).toBeNull()
    expect({ version, partitions: asSent, userData_base64: base64Of(userData), trailing }).toEqual(row.decoded)
  })

  test.each(assignments)('%s: an encoder that keeps order gives the same bytes', (_, row) => {
    const { version, asSent, userData } = decodeAssignment(bytesOf(row.assignment_base64!))
    const bytes = writeAssignment({ version: version as ProtocolVersion, partitions: asSent, userData })
    expect(base64Of(bytes)).toBe(row.assignment_base64)
  })

  test.each(assignments)('%s: canonical bytes encode to themselves and lose nothing', (_, row) => {
    const again = (bytes: Uint8Array): Uint8Array =>
      encodeAssignment({ partitions: decodeAssignment(bytes).partitions })
    const once = again(bytesOf(row.assignment_base64!))
    expect(again(once)).toEqual(once)
    expect(decodeAssignment(once).asSent).toEqual(canonicalPartitions(row.decoded.partitions!))
    const flat = (list: readonly TopicPartitions[]): string[] =>
      list.flatMap(({ topic, partitions }) => partitions.map(partition => `${topic}-${partition}`)).sort()
    expect(flat(decodeAssignment(once).partitions)).toEqual(flat(row.decoded.partitions!))
  })
})
