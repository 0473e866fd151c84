/**
 * Where a cooperative member begins and goes on to read: subscriptions of several kinds, transactions, seeks, topics
 * that grow. Consumers are in this process, so that tests can use what kafkajs gives to handlers and callbacks.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type Admin, type Consumer, type ConsumerRunConfig, Kafka, logLevel, type Producer } from 'kafkajs'
import { type CooperativeOptions, cooperativeStickyAssignor } from 'kafkajs-sticky-assignor'
import { tiers } from './support/cooperative'
import { type RunningKafka, startKafka } from './support/kafka'
import { createTopics, growTopic } from './support/topics'
import { until } from './support/wait'

let kafka: RunningKafka
let client: Kafka
let admin: Admin
let producer: Producer
let consumers: Consumer[] = []

beforeAll(async () => {
  kafka = await startKafka()
  client = new Kafka({ clientId: 'test', brokers: kafka.brokers, logLevel: logLevel.NOTHING })
  admin = client.admin()
  producer = client.producer({ idempotent: true, maxInFlightRequests: 1 })
  await Promise.all([admin.connect(), producer.connect()])
})
afterEach(async () => {
  await Promise.all(consumers.map(consumer => consumer.disconnect()))
  consumers = []
})
afterAll(async () => {
  await Promise.all([admin?.disconnect(), producer?.disconnect()])
  await kafka?.remove()
})

let names = 0
const freshName = (kind: string) => `${kind}-${++names}`

interface Options {
  groupId: string
  topics: (string | RegExp)[]
  fromBeginning?: boolean
  metadataMaxAge?: number
  assignor?: CooperativeOptions
  run: ConsumerRunConfig
}

async function consume({ groupId, topics, fromBeginning = true, metadataMaxAge, assignor, run }: Options) {
  // A Kafka of its own, as it would be in another process.
  const own = new Kafka({ clientId: 'test', brokers: kafka.brokers, logLevel: logLevel.NOTHING })
  const consumer = own.consumer({
    groupId,
    sessionTimeout: 6000,
    ...(metadataMaxAge === undefined ? {} : { metadataMaxAge }),
    partitionAssigners: [cooperativeStickyAssignor(assignor)],
  })
  consumers.push(consumer)
  await consumer.connect()
  await consumer.subscribe({ topics, fromBeginning })
  await consumer.run(run)
  return consumer
}

const send = (topic: string, values: string[], partition = 0) =>
  producer.send({ topic, messages: values.map(value => ({ value, partition })) })

describe.each(tiers)('%s', tier => {
  const assignor = { tier }

  test('a regular expression and several topics; a topic without a partition for a member is no trouble', async () => {
    const prefix = freshName('many')
    await createTopics(admin, { [`${prefix}-a`]: 3, [`${prefix}-b`]: 1, [`${prefix}-c`]: 1 })
    const seen: string[] = []
    const run = {
      eachMessage: async ({ message }: { message: { value: Buffer | null } }) => void seen.push(String(message.value)),
    }
    const options = {
      groupId: freshName('group'),
      topics: [new RegExp(`^${prefix}-[ab]$`), `${prefix}-c`],
      assignor,
      run,
    }
    await consume(options)
    await consume(options)
    await consume(options)
    for (const [topic, partition] of [
      ['a', 0],
      ['a', 1],
      ['a', 2],
      ['b', 0],
      ['c', 0],
    ] as const)
      await send(`${prefix}-${topic}`, [`${topic}${partition}`], partition)
    await until('that all is handled', () => seen.length >= 5)
    expect(seen.sort()).toEqual(['a0', 'a1', 'a2', 'b0', 'c0'])
  })

  test('a topic that grows: the new partitions are read, no old one is disturbed', async () => {
    const topic = freshName('grows')
    await createTopics(admin, { [topic]: 2 })
    const seen: string[] = []
    const options = {
      groupId: freshName('group'),
      topics: [topic],
      metadataMaxAge: 500,
      assignor,
      run: {
        eachMessage: async ({ message }: { message: { value: Buffer | null } }) =>
          void seen.push(String(message.value)),
      },
    }
    await consume(options)
    await consume(options)
    await send(topic, ['old'], 1)
    await growTopic(admin, topic, 4)
    // One that knows the new partitions. Not a plain one: it sends both records again if one partition is not there yet.
    const growing = client.producer({ idempotent: true, maxInFlightRequests: 1 })
    await growing.connect()
    await growing.send({ topic, messages: [2, 3].map(partition => ({ value: `new${partition}`, partition })) })
    await growing.disconnect()
    await until('that all is handled', () => seen.length >= 3)
    expect(seen.sort()).toEqual(['new2', 'new3', 'old'])
  })

  test('fromBeginning false begins at the end, and goes on from there in another member', async () => {
    const topic = freshName('latest')
    await createTopics(admin, { [topic]: 1 })
    await send(topic, ['before'])
    const seen: string[] = []
    const options = {
      groupId: freshName('group'),
      topics: [topic],
      fromBeginning: false,
      assignor,
      run: {
        eachMessage: async ({ message }: { message: { value: Buffer | null } }) =>
          void seen.push(String(message.value)),
      },
    }
    const first = await consume(options)
    // The position of an empty group is settled with its first fetch.
    await until('that it reads', async () => {
      await send(topic, ['probe'])
      return seen.includes('probe')
    })
    await first.stop()
    await send(topic, ['between'])
    await consume(options)
    await until('that it goes on', () => seen.includes('between'))
    expect(seen).not.toContain('before')
    expect(new Set(seen)).toEqual(new Set(['probe', 'between']))
  })

  test.each([0, 2])('aborted records are not shown, with slices of %i', async maxRecordsPerFetch => {
    const topic = freshName('transactions')
    await createTopics(admin, { [topic]: 1 })
    const transactional = client.producer({
      transactionalId: freshName('tx'),
      idempotent: true,
      maxInFlightRequests: 1,
    })
    await transactional.connect()
    const expected: string[] = []
    for (let i = 0; i < 12; i++) {
      const transaction = await transactional.transaction()
      const values = Array.from({ length: (i % 3) + 1 }, (_, j) => `${i}-${j}`)
      await transaction.send({ topic, messages: values.map(value => ({ value, partition: 0 })) })
      if (i % 4 === 1) await transaction.abort()
      else {
        await transaction.commit()
        expected.push(...values)
      }
    }
    await transactional.disconnect()
    await send(topic, ['end'])
    const seen: string[] = []
    const kinds: ConsumerRunConfig[] = [
      { eachMessage: async ({ message }) => void seen.push(String(message.value)) },
      {
        eachBatch: async ({ batch, resolveOffset }) => {
          for (const message of batch.messages) {
            seen.push(String(message.value))
            resolveOffset(message.offset)
          }
        },
        eachBatchAutoResolve: false,
      },
    ]
    for (const run of kinds) {
      seen.length = 0
      await consume({
        groupId: freshName('group'),
        topics: [topic],
        assignor: { ...assignor, maxRecordsPerFetch },
        run,
      })
      await until('that the last is handled', () => seen.includes('end'))
      expect(seen).toEqual([...expected, 'end'])
    }
  })

  test('offsets that the user keeps elsewhere: a seek in onPartitionsAssigned decides, also when a partition comes back', async () => {
    const topic = freshName('elsewhere')
    await createTopics(admin, { [topic]: 2 })
    const stored = new Map<number, number>()
    const seen: string[] = []
    const options = (name: string) => {
      const member: { consumer?: Consumer; pending: number[] } = { pending: [] }
      const seek = (partition: number) =>
        member.consumer?.seek({ topic, partition, offset: String(stored.get(partition) ?? 0) })
      return {
        member,
        config: {
          groupId,
          topics: [topic],
          // Without seeks it would begin at the end.
          fromBeginning: false,
          assignor: {
            ...assignor,
            onPartitionsAssigned: ({ partitions }: { partitions: Record<string, number[]> }) => {
              for (const partition of partitions[topic] ?? [])
                if (member.consumer) seek(partition)
                else member.pending.push(partition)
            },
          },
          run: {
            autoCommit: false,
            eachMessage: async ({
              partition,
              message,
            }: {
              partition: number
              message: { offset: string; value: Buffer | null }
            }) => {
              seen.push(`${name} ${message.value}`)
              stored.set(partition, Number(message.offset) + 1)
            },
          },
        },
        seek,
      }
    }
    const groupId = freshName('group')
    await send(topic, ['a0', 'a1'], 0)
    await send(topic, ['b0', 'b1'], 1)
    const a = options('a')
    const consumerA = await consume(a.config)
    a.member.consumer = consumerA
    for (const partition of a.member.pending) a.seek(partition)
    await until('that a reads all', () => seen.length === 4)

    const b = options('b')
    b.member.consumer = await consume(b.config)
    for (const partition of b.member.pending) b.seek(partition)
    await send(topic, ['a2'], 0)
    await send(topic, ['b2'], 1)
    await until('that both read', () => seen.length === 6)
    expect(seen.slice(4).sort()).toEqual(['a a2', 'b b2'])

    // b leaves; a stands at its old position of what comes back, and the user knows better.
    await b.member.consumer.stop()
    await send(topic, ['b3'], 1)
    await until('that a goes on', () => seen.length === 7)
    expect(seen.at(-1)).toBe('a b3')
  })
})

test('a commit of the user for a partition that is not owned fails where that is wanted, else it is left out with a warning', async () => {
  const topic = freshName('foreign')
  await createTopics(admin, { [topic]: 2 })
  const groupId = freshName('group')
  const options = { groupId, topics: [topic], run: { eachMessage: async () => {} } }
  const strict = await consume({ ...options, assignor: { foreignCommits: 'throw' } })
  const warnings: object[] = []
  const logger = { info: () => {}, warn: (fields: object) => void warnings.push(fields), error: () => {} }
  const lenient = await consume({ ...options, assignor: { logger } })
  const assigned = async () => {
    const members = (await strict.describeGroup()).members
    return members.length === 2
  }
  await until('that both are in', assigned)
  const offsets = [0, 1].map(partition => ({ topic, partition, offset: '0' }))
  await until('that each has one', async () => {
    const outcomes = await Promise.all(
      offsets.map(offset =>
        strict.commitOffsets([offset]).then(
          () => 1,
          () => 0,
        ),
      ),
    )
    return outcomes.reduce<number>((sum, each) => sum + each, 0) === 1
  })
  await expect(strict.commitOffsets(offsets)).rejects.toThrow(/does not belong to this member/)
  await lenient.commitOffsets(offsets)
  await lenient.commitOffsets(offsets)
  expect(warnings).toMatchObject([{ event: 'commit-dropped', topic, groupId }])
})
