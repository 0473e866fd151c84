/** kafkajs' own connections, against a server that answers as it is told. */
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { mendConnections } from './connections'
import type { Cluster, Connection } from './internals'

interface KafkaJSConnection extends Connection {
  connect(): Promise<boolean>
  send(protocol: object): Promise<unknown>
  disconnect(): Promise<unknown>
}

const KafkaJSConnection = require('kafkajs/src/network/connection') as new (options: object) => KafkaJSConnection
const Encoder = require('kafkajs/src/protocol/encoder') as new () => object
const createSocketFactory = require('kafkajs/src/network/socketFactory') as () => unknown

const silent = { debug() {}, info() {}, warn() {}, error() {}, namespace: () => silent }
const question = {
  request: { apiKey: 18, apiVersion: 0, apiName: 'Question', encode: async () => new Encoder() },
  response: { decode: async (payload: Buffer) => ({ payload }), parse: async (decoded: unknown) => decoded },
}

let server: Server
let connection: KafkaJSConnection
let sockets: Socket[]
/** What is written to the nth connection for a request. */
let answer: (request: Buffer, nth: number) => Buffer | null

beforeEach(async () => {
  sockets = []
  answer = echo
  server = createServer(socket => {
    const nth = sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', request => {
      const bytes = answer(request, nth)
      if (bytes) socket.write(bytes)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  connection = new KafkaJSConnection({
    host: '127.0.0.1',
    port,
    logger: silent,
    socketFactory: createSocketFactory(),
    requestTimeout: 500,
    connectionTimeout: 1000,
  })
})
afterEach(async () => {
  await connection.disconnect()
  for (const socket of sockets) socket.destroy()
  server.close()
})

/** A response without a body. */
function echo(request: Buffer): Buffer {
  const response = Buffer.alloc(8)
  response.writeInt32BE(4, 0)
  request.copy(response, 4, 8, 12)
  return response
}

const mend = () =>
  mendConnections({ brokerPool: { seedBroker: { connectionPool: { pool: [connection] } } } } as never as Cluster)

/** The broker dies in the middle of an answer. */
async function dieInAnswer(): Promise<void> {
  answer = (request, nth) => {
    if (nth > 1) return echo(request)
    setImmediate(() => sockets[0]!.end())
    return echo(request).subarray(0, 6)
  }
  await connection.connect()
  await expect(connection.send(question)).rejects.toThrow('Closed connection')
  while (connection.isConnected!()) await new Promise(setImmediate)
}

test('kafkajs alone reads nothing any more after a broker that died in the middle of an answer', async () => {
  await dieInAnswer()
  await connection.connect()
  await expect(connection.send(question)).rejects.toThrow('timed out')
})

test('a connection that was lost in the middle of an answer reads the answers of the next one', async () => {
  mend()
  await dieInAnswer()
  await connection.connect()
  await expect(connection.send(question)).resolves.toBeDefined()
})

test('callers that connect at the same time share one socket', async () => {
  mend()
  await Promise.all([connection.connect(), connection.connect(), connection.connect()])
  await connection.send(question)
  expect(sockets).toHaveLength(1)
})

test('ending a dead connection again and again gathers no listeners', async () => {
  mend()
  await dieInAnswer()
  const socket = connection.socket as unknown as Socket
  while (!socket.destroyed) await new Promise(setImmediate)
  for (let i = 0; i < 20; i++) await connection.disconnect()
  expect(socket.listenerCount('connect')).toBeLessThan(3)
})

test('connections that are built later are mended too', async () => {
  const pool = { pool: [connection] }
  const cluster = { connectionPoolBuilder: { build: async () => pool } }
  mendConnections(cluster as never as Cluster)
  expect(await cluster.connectionPoolBuilder.build()).toBe(pool)
  await dieInAnswer()
  await connection.connect()
  await expect(connection.send(question)).resolves.toBeDefined()
})

test('a kafkajs without what this needs stays as it is', async () => {
  const { connect } = connection
  mendConnections({} as Cluster)
  mendConnections({ brokerPool: { seedBroker: { connectionPool: { pool: [{ connect }] } } } } as never as Cluster)
  await connection.connect()
  await expect(connection.send(question)).resolves.toBeDefined()
})
