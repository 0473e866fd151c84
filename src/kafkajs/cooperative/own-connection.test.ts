import { beforeEach, expect, test } from '@jest/globals'
import { ScriptedBrokers, sendOver } from '../testing/scripted-brokers'
import { deferred, nextMacrotask } from './deferred'
import { canBuildConnections, OwnConnection } from './own-connection'

const one = { nodeId: 1, host: 'one', port: 9092 }
const two = { nodeId: 2, host: 'two', port: 9092 }
const closed = () => Object.assign(new Error('closed'), { name: 'KafkaJSConnectionClosedError' })

let brokers: ScriptedBrokers
let memberIds: string[]
let connection: OwnConnection

beforeEach(() => {
  brokers = new ScriptedBrokers()
  memberIds = []
  connection = new OwnConnection(brokers.cluster, memberId => memberIds.push(memberId))
})

test('callers share one connect, and the connection afterwards', async () => {
  const connecting = deferred<void>()
  brokers.onBuild = broker => broker.connecting.push(connecting.promise)
  const both = Promise.all([connection.at(one), connection.at(one)])
  await nextMacrotask()
  connecting.resolve()
  const [first, second] = await both
  expect(second).toBe(first)
  expect(await connection.at(one)).toBe(first)
  expect(brokers.built.map(({ connects }) => connects)).toEqual([1])
})

test('a connect that fails leaves no socket, and the next caller gets a new connection', async () => {
  brokers.onBuild = broker => {
    if (brokers.built.length === 1) broker.connecting.push(Promise.reject(closed()))
  }
  await expect(connection.at(one)).rejects.toThrow('closed')
  await nextMacrotask()
  expect(brokers.built[0]!.destroyed).toBe(true)
  await connection.at(one)
  expect(brokers.built.map(({ connects }) => connects)).toEqual([1, 1])
})

test('a connection that the broker has closed is connected anew, authentication and all', async () => {
  await connection.at(one)
  brokers.built[0]!.connected = false
  await connection.at(one)
  expect(brokers.built.map(({ connects }) => connects)).toEqual([2])
})

test('another address: what waits at the old one ends, with an error that passes', async () => {
  await connection.at(one)
  await connection.at(two)
  await nextMacrotask()
  const [old, present] = brokers.built
  expect([old!.address, present!.address]).toEqual(['one:9092', 'two:9092'])
  expect(old!.destroyed).toBe(true)
  expect(old!.rejected).toMatchObject([{ name: 'KafkaJSConnectionClosedError', retriable: true }])
  expect(present!.destroyed).toBe(false)
})

test('dropped while it opens: it ends as soon as it is open, and nobody gets it', async () => {
  const connecting = deferred<void>()
  brokers.onBuild = broker => broker.connecting.push(connecting.promise)
  const waiting = connection.at(one)
  await nextMacrotask()
  connection.drop()
  connecting.resolve()
  await expect(waiting).rejects.toMatchObject({ name: 'KafkaJSConnectionClosedError' })
  await nextMacrotask()
  expect(brokers.built[0]!.destroyed).toBe(true)
})

test('errors that are no errors here are not logged; the member id that one brings is told', async () => {
  const broker = await connection.at(one)
  const required = Object.assign(new Error('required'), { name: 'KafkaJSMemberIdRequired', memberId: 'promised' })
  brokers.built[0]!.answer = () => Promise.reject(required)
  await expect(sendOver(broker, { clientId: 'test' })).rejects.toBe(required)
  expect(brokers.built[0]!.requests).toEqual([{ clientId: 'test', logResponseError: false }])
  expect(memberIds).toEqual(['promised'])
})

test('whether connections can be built at all is found out without connecting', async () => {
  expect(await canBuildConnections(brokers.cluster)).toBe(true)
  expect(brokers.built.map(({ connects }) => connects)).toEqual([0])
  for (const hidden of ['connectionPoolBuilder', 'brokerPool'])
    expect(await canBuildConnections({ ...brokers.cluster, [hidden]: undefined })).toBe(false)
})
