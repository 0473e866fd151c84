import { beforeEach, expect, jest, test } from '@jest/globals'
import { metadata, Outages } from './outages'

const closed = () => Object.assign(new Error('closed'), { name: 'KafkaJSConnectionError' })

let pauses: number[]
let refreshed: number
let outages: Outages

beforeEach(() => {
  pauses = []
  refreshed = 0
  outages = new Outages(
    () => 10_000,
    async failures => void pauses.push(failures),
    async () => void refreshed++,
  )
})

test('a broker that cannot be reached makes the fetch return nothing, after a growing pause', async () => {
  const fail = () => outages.tolerate('1', () => Promise.reject(closed()))
  for (let i = 0; i < 3; i++)
    await expect(fail()).rejects.toMatchObject({ name: 'KafkaJSConnectionClosedError', port: -1 })
  expect(pauses).toEqual([1, 2, 3])
  expect(refreshed).toBe(3)
  await outages.tolerate('1', async () => 'back')
  await expect(fail()).rejects.toMatchObject({ port: -1 })
  expect(pauses.at(-1)).toBe(1)
})

test('an outage that outlasts the bound is kafkajs’ affair; one of another broker begins anew', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(0)
  await expect(outages.tolerate('1', () => Promise.reject(closed()))).rejects.toMatchObject({ port: -1 })
  clock.mockReturnValue(10_001)
  await expect(outages.tolerate('1', () => Promise.reject(closed()))).rejects.toThrow('closed')
  await expect(outages.tolerate('2', () => Promise.reject(closed()))).rejects.toMatchObject({ port: -1 })
  clock.mockRestore()
})

test('what kafkajs wraps the error in does not matter; other errors pass at once', async () => {
  const wrapped = Object.assign(new Error('retries'), { name: 'KafkaJSNumberOfRetriesExceeded', cause: closed() })
  await expect(outages.tolerate('1', () => Promise.reject(wrapped))).rejects.toMatchObject({ port: -1 })
  const other = Object.assign(new Error('denied'), { type: 'TOPIC_AUTHORIZATION_FAILED' })
  await expect(outages.tolerate('1', () => Promise.reject(other))).rejects.toBe(other)
  expect(pauses).toEqual([1])
})

test('an outage after which nobody has asked for long is over; the next one begins anew', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(0)
  const fail = () => outages.tolerate('1', () => Promise.reject(closed()))
  await expect(fail()).rejects.toMatchObject({ port: -1 })
  clock.mockReturnValue(3_600_000)
  await expect(fail()).rejects.toMatchObject({ port: -1 })
  expect(pauses).toEqual([1, 1])
  // Asked for again and again it outlasts the bound.
  clock.mockReturnValue(3_609_000)
  await expect(fail()).rejects.toMatchObject({ port: -1 })
  clock.mockReturnValue(3_610_001)
  await expect(fail()).rejects.toThrow('closed')
  await expect(fail()).rejects.toThrow('closed')
  clock.mockRestore()
})

test('kafkajs counts as told from the error that it is given until something goes well', async () => {
  outages.watch(Promise.reject(closed())).catch(() => {})
  await Promise.resolve()
  expect(outages.handedOver).toBe(true)
  await expect(outages.tolerate('1', () => Promise.reject(closed()))).rejects.toMatchObject({ port: -1 })
  await outages.tolerate(metadata, async () => {})
  expect(outages.handedOver).toBe(true)
  await outages.tolerate('2', async () => {})
  expect(outages.handedOver).toBe(false)
  const denied = Object.assign(new Error('denied'), { type: 'TOPIC_AUTHORIZATION_FAILED' })
  await expect(outages.watch(Promise.reject(denied))).rejects.toBe(denied)
  expect(outages.handedOver).toBe(false)
})
