import { beforeEach, describe, expect, test } from '@jest/globals'
import type { CommittedOffsets, OffsetCommitRequest } from '../internals'
import type { ForeignCommits } from './choices'
import { CommitGate } from './commit-gate'
import { deferred, nextMacrotask } from './deferred'
import { Fence } from './fence'
import { keyOf, type PartitionKey } from './partition-key'

const key = (partition: number): PartitionKey => keyOf('t', partition)

let fence: Fence
let table: CommittedOffsets
let identity: { memberId: string; generation: number }
/** What reached the coordinator, and its answer to come. */
let sent: { request: OffsetCommitRequest; answer: ReturnType<typeof deferred<unknown>> }[]
let refusals: unknown[]
let behind: unknown[]
let through: OffsetCommitRequest[]
let dropped: string[]

beforeEach(() => {
  fence = new Fence()
  table = { t: {} }
  identity = { memberId: 'm', generation: 5 }
  sent = []
  refusals = []
  behind = []
  through = []
  dropped = []
})

function gate(foreign: ForeignCommits = 'drop'): CommitGate {
  return new CommitGate(fence, table, foreign, {
    identity: () => identity,
    send: request => {
      const answer = deferred<unknown>()
      sent.push({ request: structuredClone(request), answer })
      return answer.promise
    },
    mayRetry: async ({ error }) => {
      refusals.push(error)
      return (error as { type?: string }).type !== 'OTHER'
    },
    committedBehind: request => through.push(request),
    failedBehind: error => behind.push(error),
    foreignCommitError: (topic, partition) => new Error(`foreign ${topic}-${partition}`),
    dropped: (topic, partition) => dropped.push(`${topic}-${partition}`),
  })
}

function own(...partitions: number[]): void {
  for (const ownership of fence.assign(new Set(partitions.map(key)), 5).gained) ownership.announced = true
  for (const ownership of fence.ready) fence.activate(ownership)
}

/** As kafkajs proposes it: partition ids are strings. */
const automatic = (offsets: Record<number, number>): OffsetCommitRequest => ({
  ...unsigned,
  topics: [
    {
      topic: 't',
      partitions: Object.entries(offsets).map(([partition, offset]) => ({ partition, offset: String(offset) })),
    },
  ],
})

/** As a user's commitOffsets sends it. */
const explicit = (offsets: Record<number, number>): OffsetCommitRequest => ({
  ...unsigned,
  topics: [
    {
      topic: 't',
      partitions: Object.entries(offsets).map(([partition, offset]) => ({
        partition: Number(partition),
        offset: String(offset),
        metadata: null,
      })),
    },
  ],
})

const unsigned = { groupId: 'g', memberId: 'stale', groupGenerationId: 1 }
const error = (type: string) => Object.assign(new Error(type), { type })
const partitionsSent = (index: number) =>
  sent[index]!.request.topics.flatMap(({ partitions }) => partitions.map(({ partition }) => Number(partition)))

describe('what is committed', () => {
  test('carries the real member id and generation, on the wire and in the event', async () => {
    own(0)
    const request = automatic({ 0: 10 })
    const done = gate().commit(request)
    sent[0]!.answer.resolve({})
    await done
    expect(sent[0]!.request).toMatchObject({ memberId: 'm', groupGenerationId: 5 })
    expect(request).toMatchObject({ memberId: 'm', groupGenerationId: 5 })
  })

  test('is only what is owned; kafkajs then takes the rest for committed and stops proposing it', async () => {
    own(0)
    const request = automatic({ 0: 10, 1: 20 })
    const { topics } = request
    const commits = gate()
    const done = commits.commit(request)
    sent[0]!.answer.resolve({})
    await done
    expect(partitionsSent(0)).toEqual([0])
    expect(table).toEqual({ t: { 1: '20' } })
    expect(dropped).toEqual([])
    // kafkajs enters this very list in its table afterwards.
    expect(topics).toEqual([{ topic: 't', partitions: [{ partition: '0', offset: '10' }] }])
  })

  test('includes what is draining', async () => {
    own(0)
    fence.assign(new Set(), 6)
    const done = gate().commit(automatic({ 0: 10 }))
    sent[0]!.answer.resolve({})
    await done
    expect(partitionsSent(0)).toEqual([0])
  })

  test('leaves out a position that may be one of an earlier ownership, but takes the word of the user', async () => {
    own(0)
    fence.surrender(fence.assign(new Set(), 6).revoked[0]!)
    own(0)
    const commits = gate()
    await commits.commit(automatic({ 0: 3 }))
    expect(sent).toEqual([])
    expect(table).toEqual({ t: {} })
    const done = commits.commit(explicit({ 0: 7 }))
    sent[0]!.answer.resolve({})
    await done
  })

  test('leaves out what a batch of a lost ownership commits, even if the partition has come back', async () => {
    own(0)
    fence.deliver(fence.ownership(key(0))!, '1')
    fence.lose()
    own(0)
    const commits = gate()
    await commits.commit(explicit({ 0: 7 }))
    await commits.commit(automatic({ 0: 7 }))
    expect(sent).toEqual([])
    // Of the automatic one the user knows nothing.
    expect(dropped).toEqual(['t-0'])
  })

  test('of the user for a foreign partition can be made to fail', async () => {
    own(0)
    await expect(gate('throw').commit(explicit({ 1: 3 }))).rejects.toThrow('foreign t-1')
    await gate('throw').commit(automatic({ 1: 3 }))
    expect(sent).toEqual([])
  })

  test('of kafkajs, which resets an offset that is out of range, never fails: the consumer would end for good', async () => {
    await gate('throw').commit(explicit({ 1: -1 }))
    expect(sent).toEqual([])
    expect(dropped).toEqual(['t-1'])
  })

  test('of kafkajs, which applies a seek of the user’s, never fails for that either', async () => {
    function seek(commits: CommitGate, partition: number) {
      return commits.commit(explicit({ [partition]: 3 }))
    }
    own(0)
    const commits = gate('throw')
    await seek(commits, 1)
    expect(dropped).toEqual(['t-1'])
    commits.close()
    const waiting = seek(commits, 0)
    fence.lose()
    commits.open()
    await waiting
    expect(dropped).toEqual(['t-1', 't-0'])
    expect(sent).toEqual([])
  })
})

describe('while the coordinator would refuse', () => {
  test('waits, and goes on with what is owned then, under the new generation', async () => {
    own(0, 1)
    const commits = gate()
    commits.close()
    const done = commits.commit(explicit({ 0: 10, 1: 20 }))
    await nextMacrotask()
    expect(sent).toEqual([])
    fence.surrender(fence.assign(new Set([key(0)]), 6).revoked[0]!)
    identity.generation = 6
    commits.open()
    await nextMacrotask()
    sent[0]!.answer.resolve({})
    await done
    expect(partitionsSent(0)).toEqual([0])
    expect(sent[0]!.request.groupGenerationId).toBe(6)
  })

  test('an automatic commit does not hold up the handler, and is still waited for before a hand-over', async () => {
    own(0)
    const commits = gate()
    commits.close()
    const request = automatic({ 0: 10 })
    await commits.commit(request)
    // Not committed yet: neither the event nor kafkajs' table may say so.
    expect(request.topics).toEqual([])
    expect(sent).toEqual([])
    expect(commits.underWay(key(0))).toBe('10')
    let settled = false
    const settling = commits.settled().then(() => {
      settled = true
    })
    commits.open()
    await nextMacrotask()
    expect(settled).toBe(false)
    sent[0]!.answer.resolve({})
    await settling
    expect(commits.underWay(key(0))).toBeUndefined()
    await nextMacrotask()
    expect(through).toMatchObject([{ memberId: 'm', groupGenerationId: 5, topics: automatic({ 0: 10 }).topics }])
    expect(table).toEqual({ t: { 0: '10' } })
  })

  test('one that an earlier ownership left under way is no position of the present one', async () => {
    own(0)
    const commits = gate()
    commits.close()
    await commits.commit(automatic({ 0: 10 }))
    fence.lose()
    own(0)
    expect(commits.underWay(key(0))).toBeUndefined()
    commits.open()
    await nextMacrotask()
    expect(sent).toEqual([])
  })

  test('a failure behind the back of the handler is told', async () => {
    own(0)
    const commits = gate()
    commits.close()
    await commits.commit(automatic({ 0: 10 }))
    commits.open()
    await nextMacrotask()
    sent[0]!.answer.reject(error('OTHER'))
    await commits.settled()
    await nextMacrotask()
    expect(behind).toEqual([error('OTHER')])
  })
})

describe('kafkajs’ table, where it was emptied while commits were under way', () => {
  const late = 'that is answered behind the handler'
  const soon = 'that is answered at once'

  test.each([late, soon])('is not told of a commit %s and that a later one is about to replace', async when => {
    own(0, 1)
    const commits = gate()
    const request = automatic({ 0: 10, 1: 10 })
    const list = request.topics
    const first = commits.commit(request)
    if (when === late) await first
    const second = commits.commit(automatic({ 0: 20 }))
    sent[0]!.answer.resolve({})
    await first
    await nextMacrotask()
    expect(table).toEqual({ t: { 1: '10' } })
    // What kafkajs enters itself.
    expect(list).toEqual([])
    expect(commits.underWay(key(0))).toBe('20')
    expect(through.map(({ topics }) => topics)).toEqual([automatic({ 0: 10, 1: 10 }).topics])
    sent[1]!.answer.resolve({})
    await second
  })

  test('is not told of a commit of an earlier ownership', async () => {
    own(0)
    const commits = gate()
    await commits.commit(automatic({ 0: 10 }))
    fence.lose()
    own(0)
    sent[0]!.answer.resolve({})
    await commits.settled()
    await nextMacrotask()
    expect(table).toEqual({ t: {} })
  })
})

describe('a refused commit', () => {
  test('is sent again after the rejoin', async () => {
    own(0)
    const commits = gate()
    const done = commits.commit(explicit({ 0: 10 }))
    sent[0]!.answer.reject(error('ILLEGAL_GENERATION'))
    await nextMacrotask()
    identity.generation = 6
    sent[1]!.answer.resolve({ ok: true })
    expect(await done).toEqual({ ok: true })
    expect(refusals).toHaveLength(1)
  })

  test('never lowers an offset that was committed after it', async () => {
    own(0, 1)
    const commits = gate()
    const first = commits.commit(explicit({ 0: 10, 1: 10 }))
    const second = commits.commit(explicit({ 0: 20 }))
    sent[1]!.answer.resolve({})
    sent[0]!.answer.reject(error('REBALANCE_IN_PROGRESS'))
    await second
    await nextMacrotask()
    expect(partitionsSent(2)).toEqual([0, 1].filter(partition => partition !== 0))
    sent[2]!.answer.resolve({})
    await first
  })

  test('is not sent again at all if a later one covers it, however the first attempt ended', async () => {
    own(0)
    const commits = gate()
    const first = commits.commit(automatic({ 0: 10 }))
    const second = commits.commit(automatic({ 0: 20 }))
    sent[1]!.answer.resolve({})
    await second
    sent[0]!.answer.reject(error('NOT_COORDINATOR_FOR_GROUP'))
    await first
    expect(sent).toHaveLength(2)
  })

  test('for another reason fails as it would without us', async () => {
    own(0)
    const done = gate().commit(explicit({ 0: 10 }))
    sent[0]!.answer.reject(error('OTHER'))
    await expect(done).rejects.toThrow('OTHER')
  })

  test('is given up, and fails if the user wants that, when the partition was lost meanwhile', async () => {
    own(0)
    const silent = gate()
    const left = silent.commit(explicit({ 0: 10 }))
    const loud = gate('throw').commit(explicit({ 0: 10 }))
    fence.lose()
    for (const { answer } of sent) answer.reject(error('UNKNOWN_MEMBER_ID'))
    await left
    expect(dropped).toEqual(['t-0'])
    await expect(loud).rejects.toThrow('foreign t-0')
    expect(sent).toHaveLength(2)
  })
})
