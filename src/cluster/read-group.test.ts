import { describe, expect, test } from '@jest/globals'
import type { Admin, GroupDescription } from 'kafkajs'
import { encodeAssignment, encodeSubscription } from '../protocol'
import type { ClusterConnection } from './connection'
import { Deadline } from './deadline'
import { readGroup } from './read-group'

const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => Error
}

const member = {
  memberId: 'a',
  clientId: 'c',
  clientHost: '/h',
  memberMetadata: Buffer.from(encodeSubscription({ topics: ['t'] })),
  memberAssignment: Buffer.from(encodeAssignment({ partitions: [{ topic: 't', partitions: [1] }] })),
}
const stable = { groupId: 'g', members: [member], protocol: 'sticky', protocolType: 'consumer', state: 'Stable' }
const dead = { groupId: 'g', members: [], protocol: '', protocolType: '', state: 'Dead' }
const rebalancing = { ...stable, protocol: '', state: 'PreparingRebalance' }

/** A cluster whose describeGroups gives these in turn, the last one again and again; errors are thrown. */
function connection(answers: (object | Error)[], changes: Partial<Admin> = {}, settings = { timeoutMs: 4000 }) {
  let asked = 0
  const admin = {
    describeGroups: async () => {
      const answer = answers[Math.min(asked++, answers.length - 1)]!
      if (answer instanceof Error) throw answer
      return { groups: [answer as GroupDescription] }
    },
    fetchOffsets: async () => [{ topic: 't', partitions: [{ partition: 1, offset: '3', metadata: null }] }],
    fetchTopicMetadata: async () => ({ topics: [{ name: 't', partitions: [{}, {}] }] }),
    fetchTopicOffsets: async () => [0, 1].map(partition => ({ partition, offset: '9', high: '9', low: '0' })),
    listGroups: async () => ({ groups: [{ groupId: 'other', protocolType: 'consumer' }] }),
    ...changes,
  } as unknown as Admin
  const connection = {
    admin,
    settings: { brokers: [], ...settings },
    answered: () => false,
    waitingFor: () => ['a:1', 'b:2'],
    close: async () => {},
  }
  return connection as ClusterConnection
}

const read = (cluster: ClusterConnection) => readGroup(cluster, 'g', new Deadline(cluster.settings.timeoutMs))

describe('a group', () => {
  test('with its topics and offsets; a partition without a commit has none', async () => {
    expect(await read(connection([stable]))).toMatchObject({
      groupId: 'g',
      state: 'Stable',
      members: [{ memberId: 'a', host: '/h', assignment: { partitions: [{ topic: 't', partitions: [1] }] } }],
      topics: [
        {
          topic: 't',
          partitions: 2,
          offsets: [
            { committed: null, end: 9 },
            { committed: 3, end: 9 },
          ],
        },
      ],
      notes: [],
    })
  })

  test('is waited for while it rebalances, and while its coordinator changes', async () => {
    const answers = [createErrorFromCode(15), rebalancing, createErrorFromCode(16), rebalancing, stable]
    expect(await read(connection(answers))).toMatchObject({ state: 'Stable' })
  })

  test('is waited for while a coordinator that has just taken over does not see it yet', async () => {
    expect(await read(connection([dead, dead, stable]))).toMatchObject({ state: 'Stable' })

    // As long as a replica of its partition is missing, and so long only.
    let isr = [2]
    const told: string[] = []
    const fetchTopicMetadata = async ({ topics }: { topics: string[] }) => {
      if (topics[0] === 't') return { topics: [{ name: 't', partitions: [{}, {}] }] }
      told.push(topics[0]!)
      const partition = { partitionErrorCode: 0, partitionId: 0, leader: 2, replicas: [1, 2], isr }
      if (told.length === 3) isr = [1, 2]
      return { topics: [{ name: topics[0]!, partitions: [partition] }] }
    }
    const late = connection(Array(12).fill(dead), { fetchTopicMetadata } as Partial<Admin>, { timeoutMs: 20_000 })
    await expect(read(late)).rejects.toMatchObject({ code: 'STICKY_ERR_NO_SUCH_GROUP' })
    expect(told).toEqual(Array(4).fill('__consumer_offsets'))
  })

  test('that does not settle is told as it is', async () => {
    expect(await read(connection([rebalancing], {}, { timeoutMs: 600 }))).toMatchObject({ state: 'PreparingRebalance' })
  })

  test('is told also where offsets cannot be read, and that is noted', async () => {
    const refuse = (code: number) => async () => {
      throw createErrorFromCode(code)
    }
    expect(await read(connection([stable], { fetchOffsets: refuse(30) }))).toMatchObject({
      topics: [{ offsets: null }],
      notes: ['committed offsets cannot be read: GROUP_AUTHORIZATION_FAILED'],
    })
    expect(await read(connection([stable], { fetchTopicOffsets: refuse(6) }))).toMatchObject({
      topics: [{ partitions: 2, offsets: null }],
      notes: ['offsets of topic "t" cannot be read: NOT_LEADER_FOR_PARTITION'],
    })
  })

  test('has as many partitions as were assigned where the cluster does not tell, within reason', async () => {
    const fetchTopicMetadata = async () => {
      throw createErrorFromCode(29)
    }
    const huge = {
      ...member,
      memberAssignment: Buffer.from(encodeAssignment({ partitions: [{ topic: 't', partitions: [2 ** 31 - 1] }] })),
    }
    const told = await read(connection([stable], { fetchTopicMetadata }))
    expect(told.topics).toEqual([{ topic: 't', partitions: 2, problem: 'TOPIC_AUTHORIZATION_FAILED', offsets: null }])
    const absurd = await read(connection([{ ...stable, members: [huge] }], { fetchTopicMetadata }))
    expect(absurd.topics[0]!.partitions).toBeLessThan(1e6)
  })
})

describe('what is no group to inspect', () => {
  const listing = (...groups: { groupId: string; protocolType: string }[]) => ({ listGroups: async () => ({ groups }) })
  const refuseToList = {
    listGroups: async () => {
      throw createErrorFromCode(31)
    },
  }

  test.each<[string, ClusterConnection, string, RegExp]>([
    ['none of this name', connection([dead]), 'STICKY_ERR_NO_SUCH_GROUP', /^no group "g"; the cluster shows "other"$/],
    ['none at all', connection([dead], listing()), 'STICKY_ERR_NO_SUCH_GROUP', /shows no groups of consumers$/],
    [
      'one of KIP-848',
      connection([dead], listing({ groupId: 'g', protocolType: 'consumer' })),
      'STICKY_ERR_OTHER_GROUP',
      /KIP-848/,
    ],
    [
      'a share group',
      connection([dead], listing({ groupId: 'g', protocolType: 'share' })),
      'STICKY_ERR_OTHER_GROUP',
      /of the type "share"$/,
    ],
    [
      'unknown',
      connection([dead], refuseToList),
      'STICKY_ERR_NO_SUCH_GROUP',
      /cannot be listed: CLUSTER_AUTHORIZATION_FAILED$/,
    ],
    [
      'of Kafka Connect',
      connection([{ ...stable, protocolType: 'connect' }]),
      'STICKY_ERR_OTHER_GROUP',
      /no consumers but of the type "connect"$/,
    ],
    [
      'forbidden',
      connection([createErrorFromCode(30)]),
      'STICKY_ERR_NO_PERMISSION',
      /^no permission to DESCRIBE group "g"$/,
    ],
  ])('%s', async (_, cluster, code, message) => {
    await expect(read(cluster)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test('a broker that does not answer is named', async () => {
    const silent = connection([stable], { describeGroups: () => new Promise(() => {}) }, { timeoutMs: 50 })
    await expect(read(silent)).rejects.toMatchObject({
      code: 'STICKY_ERR_TIMEOUT',
      message: 'no answer about group "g" from a:1, b:2 within 50 ms',
    })
  })
})
