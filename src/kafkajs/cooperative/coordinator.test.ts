import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { Broker } from '../internals'
import { ScriptedBrokers, sendOver } from '../testing/scripted-brokers'
import { Coordinator } from './coordinator'
import { deferred, nextMacrotask } from './deferred'

const failing = (type: string, name = 'KafkaJSProtocolError') =>
  Object.assign(new Error(type), { type, name }) as Error & { type: string }
const moved = () => failing('NOT_COORDINATOR_FOR_GROUP')
const closed = () => failing('closed', 'KafkaJSConnectionClosedError')

let brokers: ScriptedBrokers
let coordinator: Coordinator

beforeEach(() => {
  brokers = new ScriptedBrokers()
  coordinator = new Coordinator('g', brokers.interception, () => {})
})
afterEach(() => {
  coordinator.close()
  jest.useRealTimers()
})

const addresses = () => brokers.built.map(({ address }) => address)
const send = (broker: Broker) => sendOver(broker)
/** The connections answer these, one after the other; then they answer well. */
const answers = (...failures: Error[]) => {
  brokers.onBuild = broker => {
    broker.answer = async () => {
      const failure = failures.shift()
      if (failure) throw failure
      return 'answer'
    }
  }
}

test('is looked for once, and is given two connections: one for what it may park, one for all else', async () => {
  await Promise.all([coordinator.join(send), coordinator.request(send), coordinator.request(send)])
  expect(brokers.lookups).toBe(1)
  expect(addresses()).toEqual(['one:9092', 'one:9092'])
})

test('a JoinGroup that is parked holds nothing else up', async () => {
  const parked = deferred<unknown>()
  brokers.onBuild = broker => {
    if (brokers.built.length === 1) broker.answer = () => parked.promise
  }
  const joining = coordinator.join(send)
  await nextMacrotask()
  await coordinator.request(send)
  parked.resolve('joined')
  expect(await joining).toBe('joined')
})

describe('one that has moved', () => {
  test('is looked for again by the next attempt, on whichever connection it is noticed', async () => {
    answers(moved())
    await expect(coordinator.request(send)).rejects.toMatchObject({ type: 'NOT_COORDINATOR_FOR_GROUP' })
    brokers.coordinator = { nodeId: 2, host: 'two', port: 9092 }
    expect(await coordinator.join(send)).toBe('answer')
    expect(await coordinator.request(send)).toBe('answer')
    expect(brokers.lookups).toBe(2)
    expect(addresses()).toEqual(['one:9092', 'two:9092', 'two:9092'])
    expect(brokers.built[0]!.destroyed).toBe(true)
  })

  test('the other connection follows without an error of its own', async () => {
    await coordinator.join(send)
    answers(moved())
    await expect(coordinator.request(send)).rejects.toThrow()
    brokers.coordinator = { nodeId: 2, host: 'two', port: 9092 }
    await coordinator.request(send)
    await coordinator.join(send)
    await nextMacrotask()
    expect(addresses()).toEqual(['one:9092', 'one:9092', 'two:9092', 'two:9092'])
    expect(brokers.built.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false])
  })
})

test('an error that says nothing about the connection leaves it alone', async () => {
  answers(failing('REBALANCE_IN_PROGRESS'))
  await expect(coordinator.request(send)).rejects.toThrow('REBALANCE_IN_PROGRESS')
  await coordinator.request(send)
  expect([brokers.lookups, brokers.built.length]).toEqual([1, 1])
})

test('one whose authentication has come out of step gets a new connection, as in kafkajs', async () => {
  answers(failing('ILLEGAL_SASL_STATE'))
  expect(await coordinator.persist(5000, send)).toBe('answer')
  expect(brokers.built.map(({ destroyed }) => destroyed)).toEqual([true, false])
})

test('a lookup that fails is repeated by the next attempt', async () => {
  brokers.lookup = () => Promise.reject(failing('', 'KafkaJSGroupCoordinatorNotFound'))
  await expect(coordinator.request(send)).rejects.toThrow()
  brokers.lookup = async () => {}
  await coordinator.request(send)
  expect(brokers.lookups).toBe(2)
})

test('a lookup that finds no broker to ask is no reason for kafkajs to end the consumer for good', async () => {
  const notFound = Object.assign(failing('', 'KafkaJSGroupCoordinatorNotFound'), { retriable: false })
  brokers.lookup = () => Promise.reject(notFound)
  await expect(coordinator.persist(-1, send)).rejects.toMatchObject({ retriable: true })
})

describe('persisting', () => {
  test('goes on over errors that pass, with the metadata refreshed in between', async () => {
    answers(closed(), moved(), failing('GROUP_LOAD_IN_PROGRESS'))
    expect(await coordinator.persist(5000, send)).toBe('answer')
    expect(brokers.refreshes).toBe(3)
  })

  test('ends when the time is over', async () => {
    answers(closed(), closed())
    await expect(coordinator.persist(-1, send)).rejects.toThrow('closed')
    expect(brokers.built).toHaveLength(1)
  })

  test('ends with an error of another kind', async () => {
    answers(closed(), failing('GROUP_AUTHORIZATION_FAILED'))
    await expect(coordinator.persist(5000, send)).rejects.toThrow('GROUP_AUTHORIZATION_FAILED')
  })

  test('ends at once when the coordinator is closed, also in its pause', async () => {
    answers(...Array.from({ length: 20 }, closed))
    const outcome = coordinator.persist(60_000, send).catch(error => error)
    await nextMacrotask()
    coordinator.close()
    expect(await outcome).toMatchObject({ name: 'KafkaJSConnectionClosedError' })
    const { refreshes } = brokers
    await nextMacrotask()
    expect(brokers.refreshes).toBe(refreshes)
  })
})

test('closing ends both connections, and what is parked on them', async () => {
  brokers.onBuild = broker => {
    const parked = deferred<unknown>()
    broker.answer = () => parked.promise
    const { pool } = broker.connectionPool
    const { rejectRequests } = pool[0]!
    pool[0]!.rejectRequests = error => {
      rejectRequests(error)
      parked.reject(error)
    }
  }
  const outcomes = Promise.allSettled([coordinator.join(send), coordinator.request(send)])
  await nextMacrotask()
  coordinator.close()
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await nextMacrotask()
  expect(brokers.built.map(({ destroyed }) => destroyed)).toEqual([true, true])
})

test('pauses grow from 50 ms to a second', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] })
  for (const [failures, ms] of [
    [1, 50],
    [2, 100],
    [5, 800],
    [6, 1000],
    [60, 1000],
  ] as const) {
    let over = false
    const pause = coordinator.backOff(failures).then(() => {
      over = true
    })
    await jest.advanceTimersByTimeAsync(ms - 1)
    expect(over).toBe(false)
    await jest.advanceTimersByTimeAsync(1)
    await pause
  }
})
