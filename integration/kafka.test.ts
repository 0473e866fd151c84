/** The Kafka that the other files run on: what its nodes do, whatever it runs on. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { type RunningKafka, startKafka } from './support/kafka'
import { createTopics, topicsReady } from './support/topics'
import { now, say, seconds, until } from './support/wait'

async function timed<T>(what: string, action: () => Promise<T>): Promise<T> {
  const start = now()
  const result = await action()
  say(`${what} took ${seconds(now() - start)}`)
  return result
}

describe.each([1, 3] as const)('%i node(s)', nodes => {
  let kafka: RunningKafka
  let client: Kafka
  let admin: Admin

  beforeAll(async () => {
    kafka = await timed('start', () => startKafka({ nodes, racks: ['a', 'b', 'c'], brokerSessionMs: 3000 }))
    const retry = { retries: 50, initialRetryTime: 100, maxRetryTime: 500 }
    client = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING, connectionTimeout: 1000, retry })
    admin = client.admin()
    await admin.connect()
  })

  afterAll(async () => {
    await admin?.disconnect()
    await timed('removal', async () => kafka?.remove())
  })

  test('each node has its rack, and topics are replicated to all', async () => {
    await createTopics(admin, { kept: 2 * nodes }, nodes)
    const { brokers } = await admin.describeCluster()
    expect(brokers.map(({ host, port }) => `${host}:${port}`).sort()).toEqual([...kafka.brokers].sort())
    const { topics } = await admin.fetchTopicMetadata({ topics: ['kept'] })
    expect(new Set(topics[0]!.partitions.map(({ leader }) => leader)).size).toBe(nodes)
  })

  test('a killed node comes back with its port and its data', async () => {
    const producer = client.producer({ idempotent: true, maxInFlightRequests: 1 })
    await producer.connect()
    try {
      await producer.send({ topic: 'kept', messages: [{ partition: 0, value: 'before' }] })
      const address = kafka.nodes[0]!.address
      await kafka.nodes[0]!.kill()
      await timed('start again', () => kafka.nodes[0]!.start())
      expect(kafka.nodes[0]!.address).toBe(address)
      await timed('replicas in sync', () => topicsReady(admin, { kept: 2 * nodes }, nodes))
      await producer.send({ topic: 'kept', messages: [{ partition: 0, value: 'after' }] })
    } finally {
      await producer.disconnect()
    }
    const offsets = await admin.fetchTopicOffsets('kept')
    expect(offsets.find(({ partition }) => partition === 0)).toMatchObject({ high: '2' })
  })

  test('a paused node answers nobody until it is continued', async () => {
    const alone = new Kafka({
      brokers: [kafka.nodes[0]!.address],
      logLevel: logLevel.NOTHING,
      connectionTimeout: 500,
      requestTimeout: 500,
      retry: { retries: 0 },
    })
    const asks = async () => {
      const asking = alone.admin()
      try {
        await asking.connect()
        return await asking.listTopics()
      } finally {
        await asking.disconnect()
      }
    }
    await kafka.nodes[0]!.pause()
    await expect(asks()).rejects.toThrow()
    await kafka.nodes[0]!.resume()
    expect(await until('that the node answers', asks)).toContain('kept')
  })

  test('its log can be read', async () => {
    expect(await kafka.nodes[0]!.log()).toContain('Kafka Server started')
  })
})
