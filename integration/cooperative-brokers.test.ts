/**
 * Cooperative members on three brokers: partitions change their leaders, the coordinator dies, records are read from
 * the nearest replica. No needless rebalance, nothing lost, nothing handled by two at once.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import {
  cooperative,
  expectExact,
  generationsAfter,
  lastGeneration,
  linesOf,
  step,
  tiersOf,
  withFaults,
} from './support/cooperative'
import { coordinatorOf } from './support/coordinator'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { createTopics, topicsReady } from './support/topics'
import { now, until } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka({
    nodes: 3,
    brokerSessionMs: 3000,
    racks: ['r1', 'r2', 'r3'],
    properties: { 'replica.selector.class': 'org.apache.kafka.common.replica.RackAwareReplicaSelector' },
  })
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

describe.each(tiersOf('surfaced'))('%s', tier => {
  const start = async (topic: string, more: object = {}) => {
    group = await Group.start(kafka, {
      topics: { [topic]: 12 },
      assigners: cooperative({ tier }),
      traffic: 240,
      ...more,
    })
  }

  test('with the time-outs that kafkajs has by default: join, stop, kill', async () => {
    // Fetchers of brokers without a partition must not sleep for the five seconds.
    await start(`defaults-${tier}`, {
      consumer: { maxWaitTimeInMs: 5000, heartbeatInterval: 3000, sessionTimeout: 10_000 },
    })
    await group.add('a', 'b')
    await group.settled()
    expect(await step(group, () => group.add('c'))).toMatchObject({ moved: 4, bounced: [] })
    expect(await step(group, () => group.member('a').stop())).toMatchObject({ moved: 4, bounced: [] })
    expect(await step(group, () => group.member('b').kill())).toMatchObject({ moved: 6, bounced: [] })
    await expectExact(group)
  })

  test('commits that take longer than a batch: what they cover is not read again after a join', async () => {
    await start(`slow-commits-${tier}`, { consumer: { maxWaitTimeInMs: 500 } })
    const slow = { assigners: cooperative({ tier, interfere: { slowCommits: { ms: 300 } } }) }
    for (const name of ['a', 'b']) await group.addWith(name, slow, withFaults)
    await group.settled()
    await step(group, () => group.add('c'))
    for (let i = 0; i < 3; i++) {
      await step(group, () => group.member('c').stop())
      await step(group, () => group.member('c').run())
    }
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('records are read from the nearest replica', async () => {
    await start(`racks-${tier}`, { consumer: { rackId: 'r1', maxWaitTimeInMs: 5000, heartbeatInterval: 3000 } })
    const [a] = await group.add('a')
    await group.settled()
    await until('that it reads from its own rack', () =>
      a!.logs.some(({ message }) => /Preferred read replica/.test(message)),
    )
    expect(await step(group, () => group.add('b'))).toMatchObject({ moved: 6, bounced: [] })
    expect(await step(group, () => group.member('a').stop())).toMatchObject({ moved: 6, bounced: [] })
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('partitions move to other leaders: no rebalance, no record twice', async () => {
    const topic = `leaders-${tier}`
    await start(`beside-${tier}`)
    await createTopics(group.admin, { [topic]: 6 }, 2)
    group.producer.topics.set(topic, 6)
    for (const name of ['a', 'b']) await group.addWith(name, { topics: [topic, `beside-${tier}`] })
    const before = await group.settled()
    const generation = lastGeneration(group)
    const leaders = async () => {
      const { topics } = await group.admin.fetchTopicMetadata({ topics: [topic] })
      return topics[0]!.partitions.sort((p, q) => p.partitionId - q.partitionId)
    }
    const old = await leaders()
    await group.admin.alterPartitionReassignments({
      topics: [
        {
          topic,
          partitionAssignment: old.map(({ partitionId, leader }) => ({
            partition: partitionId,
            replicas: [1, 2, 3].filter(id => id !== leader),
          })),
        },
      ],
    })
    await until('that every partition has another leader', async () =>
      (await leaders()).every(({ leader }, i) => leader > 0 && leader !== old[i]!.leader),
    )
    const moved = now()
    await until('that every partition is read from its new leader', () =>
      old.every(({ partitionId }) =>
        group.ledger.handlings.some(
          each => each.topic === topic && each.partition === partitionId && each.start > moved,
        ),
      ),
    )
    expect(generationsAfter(group, generation)).toEqual([])
    expect((await group.settled()).owners).toEqual(before.owners)
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test("the coordinator's broker dies and comes back: the members stay, and keep what they have", async () => {
    const topic = `coordinator-${tier}`
    await start(topic)
    await group.add('a', 'b', 'c')
    await group.settled()
    const coordinator = await coordinatorOf(kafka, group.admin, group.groupId)
    await coordinator.kill()
    await until('that the group has another coordinator', async () => {
      const { id } = await coordinatorOf(kafka, group.admin, group.groupId)
      return id !== coordinator.id
    })
    expect((await group.settled()).moved).toBe(0)
    expect((await step(group, () => group.member('a').stop())).moved).toBe(4)
    expect((await step(group, () => group.add('d'))).moved).toBe(4)
    await coordinator.start()
    await topicsReady(group.admin, { [topic]: 12 }, 3)
    expect((await group.settled()).moved).toBe(0)
    await expectExact(group)
    for (const member of group.members.values()) {
      expect(linesOf(member, 'partitions-lost')).toEqual([])
      expect(member.crashes).toEqual([])
    }
  })
})
