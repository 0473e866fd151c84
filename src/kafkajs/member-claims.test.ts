/** What a member says of itself when it joins. */
import { describe, expect, test } from '@jest/globals'
import { PartitionAssigners } from 'kafkajs'
import { decodeStickyUserData, decodeSubscription } from '../protocol'
import type { PartitionAssigner } from './assigner'
import { cooperativeStickyAssignor } from './cooperative/cooperative-assigner'
import { rangeAssignor, roundRobinAssignor, stickyAssignor } from './factories'
import { FakeKafka } from './testing/fake-kafka'
import { readMetadata, rebalance, ScriptedConsumer } from './testing/scripted-consumer'

const kafkajsRoundRobin = PartitionAssigners.roundRobin as unknown as PartitionAssigner

const start = (kafka: FakeKafka, clientId: string, assigners = [stickyAssignor()], topics = [...kafka.topics.keys()]) =>
  ScriptedConsumer.start(kafka, { clientId, topics, assigners })

describe('claims', () => {
  test('name no topic outside the current subscription, and no partition beyond what is known', async () => {
    const kafka = new FakeKafka({ a: 2, b: 2 })
    const c1 = await start(kafka, 'c1')
    await rebalance(c1)
    await c1.stop()
    c1.options.topics = ['a']
    c1.run()
    kafka.topics.set('a', 1)
    await c1.cluster.refreshMetadata()
    await rebalance(c1)
    expect(c1.said()).toEqual({ topics: ['a'], claims: ['a-0'], generation: 1 })
  })

  test('survive a crash without LeaveGroup', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const c1 = await start(kafka, 'c1')
    await rebalance(c1)
    await c1.disconnect()
    kafka.group('group').expel(c1.memberId)
    await c1.connect()
    c1.run()
    await c1.group.connect()
    await rebalance(c1)
    expect(c1.said()).toEqual({ topics: ['T'], claims: ['T-0', 'T-1'], generation: 1 })
  })

  test('are renewed when the subscription changes, though no rebalance was due', async () => {
    const kafka = new FakeKafka({ a: 1, b: 1 })
    const c1 = await start(kafka, 'c1', [stickyAssignor()], ['a'])
    await rebalance(c1)
    const [assigner] = c1.assigners
    const before = assigner!.protocol({ topics: ['a'] }).metadata
    const after = assigner!.protocol({ topics: ['b', 'a'] }).metadata
    expect(readMetadata(before, 'sticky')).toEqual({ topics: ['a'], claims: [], generation: null })
    expect(readMetadata(after, 'sticky')).toEqual({ topics: ['a', 'b'], claims: ['a-0'], generation: 1 })
  })
})

describe('bytes', () => {
  test('of a first join are Java’s, whatever the strategy', async () => {
    const kafka = new FakeKafka({ a: 1 })
    const java = '00030000000100016' + '1ffffffff00000000ffffffffffff'
    for (const factory of [stickyAssignor, rangeAssignor, roundRobinAssignor]) {
      const c1 = await start(kafka, 'c1', [factory()])
      expect(c1.assigners[0]!.protocol({ topics: ['a'] }).metadata.toString('hex')).toBe(java)
    }
  })

  test('of range and roundrobin carry the generation and no claims, as Java’s', async () => {
    for (const factory of [rangeAssignor, roundRobinAssignor]) {
      const kafka = new FakeKafka({ a: 2 })
      const c1 = await start(kafka, 'c1', [factory({ rackId: 'r1' })])
      await rebalance(c1)
      await rebalance(c1)
      expect(c1.sentMetadata().at(-1)!.toString('hex')).toBe(
        `0003${'00000001000161'}${'ffffffff'}${'00000000'}${'00000001'}${'00027231'}`,
      )
    }
  })

  test('are the same for topics in any order', async () => {
    const kafka = new FakeKafka({ a: 1, b: 1 })
    const [x, y] = [await start(kafka, 'x'), await start(kafka, 'y')]
    expect(x.assigners[0]!.protocol({ topics: ['b', 'a'] })).toEqual(y.assigners[0]!.protocol({ topics: ['a', 'b'] }))
  })
})

describe('cooperative-sticky beside another assigner', () => {
  const eager = () => [cooperativeStickyAssignor(), kafkajsRoundRobin]

  test('is eager: nothing is held while it joins, what it had goes along as released', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const c1 = await start(kafka, 'c1', eager())
    await rebalance(c1)
    await rebalance(c1)
    const { ownedPartitions, userData, generationId } = decodeSubscription(c1.sentMetadata().at(-1)!)
    expect({ ownedPartitions, generationId }).toEqual({ ownedPartitions: [], generationId: 1 })
    expect(decodeStickyUserData(userData)).toMatchObject({
      layout: 'v1',
      generation: 1,
      partitions: [{ topic: 'T', partitions: [0, 1] }],
    })
  })

  test('is sticky, in one round: nothing is withheld', async () => {
    const kafka = new FakeKafka({ T: 6 })
    const c1 = await start(kafka, 'c1', eager())
    await rebalance(c1)
    const c2 = await start(kafka, 'c2', eager())
    await rebalance(c1, c2)
    expect(kafka.group('group').protocol).toBe('cooperative-sticky')
    expect([c1.assigned, c2.assigned]).toEqual([
      ['T-0', 'T-1', 'T-2'],
      ['T-3', 'T-4', 'T-5'],
    ])
    await rebalance(c1, c2)
    const line = kafka.logs.filter(({ fields }) => fields.event === 'rebalance').at(-1)!
    expect(line.fields).toMatchObject({
      strategy: 'cooperative-sticky',
      protocol: 'eager',
      kept: 6,
      moved: 0,
      withheld: 0,
    })
  })
})
