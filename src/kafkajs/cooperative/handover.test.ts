import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { CommitGate } from './commit-gate'
import { type Deferred, deferred, nextMacrotask } from './deferred'
import { Fence, type Ownership } from './fence'
import { Handover } from './handover'
import { keyOf } from './partition-key'

const key = (partition: number) => keyOf('t', partition)
const graceMs = 500

let fence: Fence
let handover: Handover
let commits: Deferred<void>
let callback: Deferred<void>
let revoked: number[][]
let surrendered: number

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] })
  fence = new Fence()
  commits = deferred()
  callback = deferred()
  commits.resolve()
  callback.resolve()
  revoked = []
  surrendered = 0
  const gate = { settled: () => commits.promise } as CommitGate
  handover = new Handover(fence, gate, graceMs, {
    revoke: ownerships => {
      revoked.push(ownerships.map(({ key }) => Number.parseInt(key, 10)))
      return callback.promise
    },
    surrendered: () => {
      surrendered++
    },
  })
})
afterEach(() => {
  jest.useRealTimers()
})

function own(...partitions: number[]): void {
  for (const ownership of fence.assign(new Set(partitions.map(key)), 1).gained) ownership.announced = true
  for (const ownership of fence.ready) fence.activate(ownership)
}

const revoke = (): readonly Ownership[] => fence.assign(new Set(), 2).revoked

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await nextMacrotask()
}

test('what nobody works on is handed over at once, together, after the callback', async () => {
  own(0, 1)
  revoke()
  callback = deferred()
  handover.check()
  await settle()
  expect(revoked).toEqual([[0, 1]])
  expect(fence.owned).toHaveLength(2)
  callback.resolve()
  await settle()
  expect(fence.owned).toEqual([])
  expect(surrendered).toBe(1)
})

test('nothing is handed over before the commits are answered', async () => {
  own(0)
  revoke()
  commits = deferred()
  handover.check()
  await settle()
  expect(revoked).toEqual([])
  commits.resolve()
  await settle()
  expect(surrendered).toBe(1)
})

test('those that are done wait for the others, but not for longer than the grace', async () => {
  own(0, 1)
  const delivery = fence.deliver(fence.ownership(key(0))!, '1')
  revoke()
  handover.check()
  await settle()
  expect(revoked).toEqual([])
  jest.advanceTimersByTime(graceMs + 1)
  await settle()
  expect(revoked).toEqual([[1]])
  expect(fence.owned).toEqual([key(0)])
  fence.ended(delivery)
  handover.check()
  await settle()
  expect(revoked).toEqual([[1], [0]])
  expect(surrendered).toBe(2)
})

test('those that end within the grace go together', async () => {
  own(0, 1)
  const delivery = fence.deliver(fence.ownership(key(0))!, '1')
  revoke()
  handover.check()
  fence.ended(delivery)
  handover.check()
  await settle()
  expect(revoked).toEqual([[0, 1]])
  expect(jest.getTimerCount()).toBe(0)
})

test('a partition that comes back during the callback is not surrendered', async () => {
  own(0, 1)
  revoke()
  callback = deferred()
  handover.check()
  await settle()
  fence.assign(new Set([key(0)]), 3)
  callback.resolve()
  await settle()
  expect(fence.owned).toEqual([key(0)])
})

test('a partition that is lost during the callback is not surrendered, and nobody rejoins for it', async () => {
  own(0)
  revoke()
  callback = deferred()
  handover.check()
  await settle()
  fence.lose()
  callback.resolve()
  await settle()
  expect(surrendered).toBe(0)
})

test('a join waits until all is handed over, but not for longer than the grace', async () => {
  own(0, 1)
  const delivery = fence.deliver(fence.ownership(key(0))!, '1')
  const ready = async (): Promise<() => boolean> => {
    let done = false
    void handover.settled().then(() => {
      done = true
    })
    await settle()
    return () => done
  }
  expect((await ready())()).toBe(true)
  revoke()
  handover.check()
  const first = await ready()
  expect(first()).toBe(false)
  jest.advanceTimersByTime(graceMs + 1)
  await settle()
  expect(first()).toBe(true)
  const second = await ready()
  expect(second()).toBe(false)
  fence.ended(delivery)
  handover.check()
  await settle()
  expect(second()).toBe(true)
  expect(fence.owned).toEqual([])
})

test('after stop nothing is handed over, and no timer is left', async () => {
  own(0, 1)
  fence.deliver(fence.ownership(key(0))!, '1')
  revoke()
  handover.check()
  await handover.stop()
  jest.advanceTimersByTime(graceMs * 2)
  await settle()
  expect(revoked).toEqual([])
  expect(jest.getTimerCount()).toBe(0)
})

test('stop waits for a callback that runs, and not for commits: the coordinator may be away', async () => {
  own(0)
  revoke()
  commits = deferred()
  handover.check()
  await settle()
  await handover.stop()
  commits.resolve()
  await settle()
  expect(revoked).toEqual([])
  expect(fence.owned).toHaveLength(1)

  handover.start()
  callback = deferred()
  handover.check()
  await settle()
  expect(revoked).toEqual([[0]])
  let stopped = false
  void handover.stop().then(() => {
    stopped = true
  })
  await settle()
  expect(stopped).toBe(false)
  callback.resolve()
  await settle()
  expect(stopped).toBe(true)
})
