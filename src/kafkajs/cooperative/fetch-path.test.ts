import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Broker, CommittedOffsets, FetchRequest, FetchResponse, FetchResponsePartition } from '../internals'
import { Fence } from './fence'
import { FetchPath } from './fetch-path'
import { LoopProbe } from './gated-messages'
import { keyOf } from './partition-key'
import { Slices } from './slices'

const Batch = require('kafkajs/src/consumer/batch') as new (
  topic: string,
  fetchedOffset: string,
  part: FetchResponsePartition,
) => { isEmptyDueToFiltering(): boolean; lastOffset(): string }

const broker = (nodeId: number) => ({ nodeId }) as Broker
const key = (partition: number) => keyOf('t', partition)

let fence: Fence
let table: CommittedOffsets
let path: FetchPath
let lease: boolean
let idled: number
let preferred: [string, number][]
let network: FetchRequest[]

beforeEach(() => {
  fence = new Fence()
  table = { t: {} }
  lease = true
  idled = 0
  preferred = []
  network = []
  path = new FetchPath(fence, new Slices(3), table, new LoopProbe(), 500, {
    leaseHolds: () => lease,
    active: () => {},
    idle: async () => {
      idled++
    },
    requested: node => fence.endedOn(each => each === node),
    preferred: (partition, node) => preferred.push([partition, node]),
  })
})

function own(...partitions: number[]): void {
  for (const ownership of fence.assign(new Set(partitions.map(key)), 1).gained) ownership.announced = true
  for (const ownership of fence.ready) fence.activate(ownership)
}

const requestFor = (offsets: Record<number, number>): FetchRequest => ({
  maxWaitTime: 5000,
  topics: [
    {
      topic: 't',
      partitions: Object.entries(offsets).map(([partition, offset]) => ({
        partition: Number(partition),
        fetchOffset: String(offset),
        maxBytes: 1,
      })),
    },
  ],
})

/** A broker that has `count` records from each requested offset on. */
async function fetch(request: FetchRequest, { node = 1, count = 1, during = () => {} } = {}): Promise<FetchResponse> {
  const next = async (asked: FetchRequest): Promise<FetchResponse> => {
    network.push(structuredClone(asked))
    during()
    return {
      responses: asked.topics.map(({ topic, partitions }) => ({
        topicName: topic,
        partitions: partitions.map(({ partition, fetchOffset }) => ({
          partition,
          errorCode: 0,
          highWatermark: '1000',
          abortedTransactions: [],
          preferredReadReplica: partition === 9 ? 2 : -1,
          messages: Array.from({ length: count }, (_, i) => ({ offset: String(Number(fetchOffset) + i) })),
        })),
      })),
    }
  }
  return path.fetch(next, request, broker(node))
}

const offsetsOf = ({ responses }: FetchResponse) =>
  Object.fromEntries(
    responses.flatMap(({ partitions }) =>
      partitions.map(({ partition, messages }) => [partition, messages.map(({ offset }) => Number(offset))]),
    ),
  )

describe('a fetch', () => {
  test('asks for what is active, for no longer than it may wait', async () => {
    own(0, 1)
    fence.assign(new Set([key(0)]), 2)
    expect(offsetsOf(await fetch(requestFor({ 0: 5, 1: 5, 2: 5 })))).toEqual({ 0: [5] })
    expect(network).toMatchObject([{ maxWaitTime: 500, topics: [{ partitions: [{ partition: 0 }] }] }])
  })

  test('waits idly instead of spinning if nothing is to be asked', async () => {
    own()
    expect(offsetsOf(await fetch(requestFor({ 0: 5 })))).toEqual({})
    expect(idled).toBe(1)
    expect(network).toEqual([])
  })

  test('holds back the answer for what was given up while it was under way', async () => {
    own(0, 1)
    const during = () => fence.assign(new Set([key(1)]), 2)
    expect(offsetsOf(await fetch(requestFor({ 0: 5, 1: 5 }), { during }))).toEqual({ 1: [5] })
    expect(path.discarded).toBe(1)
    expect(fence.delivery(key(0))).toBeUndefined()
  })

  test('holds it back too if the partition has come back as another ownership', async () => {
    own(0)
    const during = () => {
      fence.lose()
      own(0)
    }
    expect(offsetsOf(await fetch(requestFor({ 0: 5 }), { during }))).toEqual({})
  })

  test('fetches nothing while this member may have been given up', async () => {
    own(0)
    lease = false
    expect(offsetsOf(await fetch(requestFor({ 0: 5 })))).toEqual({})
    expect(network).toEqual([])
  })

  test('does not deliver a partition that another fetcher still works on', async () => {
    own(0)
    await fetch(requestFor({ 0: 5 }), { node: 1 })
    expect(offsetsOf(await fetch(requestFor({ 0: 6 }), { node: 2 }))).toEqual({})
    expect(offsetsOf(await fetch(requestFor({ 0: 6 }), { node: 1 }))).toEqual({ 0: [6] })
  })

  test('tells which replica a partition is to be read from', async () => {
    own(9)
    await fetch(requestFor({ 9: 0 }))
    expect(preferred).toEqual([[key(9), 2]])
  })
})

describe('a backlog', () => {
  test('is handed out in slices; while there is one the network is not waited for', async () => {
    own(0, 1)
    expect(offsetsOf(await fetch(requestFor({ 0: 0 }), { count: 7 }))).toEqual({ 0: [0, 1, 2] })
    expect(offsetsOf(await fetch(requestFor({ 0: 3, 1: 50 }), { count: 1 }))).toEqual({ 0: [3, 4, 5], 1: [50] })
    expect(network.at(-1)).toMatchObject({ maxWaitTime: 0, topics: [{ partitions: [{ partition: 1 }] }] })
    expect(offsetsOf(await fetch(requestFor({ 0: 6 })))).toEqual({ 0: [6] })
    expect(network).toHaveLength(2)
  })
})

describe('a partition that has come back', () => {
  beforeEach(() => {
    own(0)
    fence.surrender(fence.assign(new Set(), 2).revoked[0]!)
    own(0)
  })

  test('is moved from the old position to the committed one, without a record for the handler', async () => {
    table.t = { 0: '40' }
    const request = requestFor({ 0: 7 })
    const { responses } = await fetch(request)
    expect(network).toEqual([])
    // What kafkajs makes of it: an empty batch, after which it stands at the committed offset.
    const batch = new Batch('t', String(request.topics[0]!.partitions[0]!.fetchOffset), responses[0]!.partitions[0]!)
    expect(batch.isEmptyDueToFiltering()).toBe(true)
    expect(Number(batch.lastOffset()) + 1).toBe(40)
    expect(offsetsOf(await fetch(requestFor({ 0: 40 })))).toEqual({ 0: [40] })
    expect(path.seeks).toBe(1)
  })

  test('works at the very beginning as well', async () => {
    table.t = { 0: '0' }
    const request = requestFor({ 0: 7 })
    const { responses } = await fetch(request)
    const batch = new Batch('t', String(request.topics[0]!.partitions[0]!.fetchOffset), responses[0]!.partitions[0]!)
    expect(batch.isEmptyDueToFiltering()).toBe(true)
    expect(Number(batch.lastOffset()) + 1).toBe(0)
  })

  test('stays where the user has sought it to', async () => {
    table.t = { 0: '40' }
    fence.ownership(key(0))!.positionTrusted = true
    expect(offsetsOf(await fetch(requestFor({ 0: 7 })))).toEqual({ 0: [7] })
  })
})
