/**
 * Three brokers, one of which fails, comes back or hands a partition over: the group keeps its owners, and loses nothing.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { coordinatorOf } from './support/coordinator'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { createTopics, topicsReady } from './support/topics'
import { now, say, seconds, until } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka({ nodes: 3, brokerSessionMs: 3000 })
})
afterAll(() => kafka?.remove())
beforeEach(async () => {
  group = await Group.start(kafka, { topics: { orders: 12 }, assigners: ['sticky'] })
})
afterEach(() => group?.close())

/** The generation in which each member has committed since `since`. */
function generations(since: number): Set<number> {
  const commits = group.running.flatMap(member => member.commits.filter(({ at }) => at > since))
  return new Set(commits.map(({ generation }) => generation))
}

async function everyoneCommits(since: number): Promise<void> {
  await until('that every member commits', () =>
    group.running.every(({ commits }) => commits.some(({ at }) => at > since)),
  )
}

test('B84: the leadership of partitions moves, and no member starts a rebalance', async () => {
  // Two replicas each, so that a partition can be led by a node that did not have it.
  await createTopics(group.admin, { moving: 6 }, 2)
  group.producer.topics.set('moving', 6)
  for (const name of ['a', 'b', 'c']) await group.addWith(name, { topics: ['moving', 'orders'] })
  const before = await group.settled()
  const settled = now()
  await everyoneCommits(settled)
  const generation = generations(settled)
  expect(generation.size).toBe(1)
  const rebalances = group.rebalances().length

  const since = now()
  const leaders = async () => {
    const { topics } = await group.admin.fetchTopicMetadata({ topics: ['moving'] })
    return topics[0]!.partitions.sort((p, q) => p.partitionId - q.partitionId)
  }
  const old = await leaders()
  await group.admin.alterPartitionReassignments({
    topics: [
      {
        topic: 'moving',
        // Away from the leader of now, to the other two.
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
  say(`6 partitions have another leader after ${seconds(now() - since)}`)

  // Every member must have met the change: each has handled records that came after it.
  const moved = now()
  await until('that every partition is read from its new leader', () =>
    old.every(({ partitionId }) => {
      const mine = group.ledger.handlings.filter(each => each.topic === 'moving' && each.partition === partitionId)
      return mine.some(({ start }) => start > moved)
    }),
  )
  await everyoneCommits(moved)
  expect(generations(moved)).toEqual(generation)
  expect(group.rebalances()).toHaveLength(rebalances)
  expect((await group.settled()).owners).toEqual(before.owners)
  await group.nothingLost()
})

test("the coordinator's broker is killed: another one takes over, every partition keeps its owner", async () => {
  const [a] = await group.add('a', 'b', 'c')
  await group.settled()
  const coordinator = await coordinatorOf(kafka, group.admin, group.groupId)
  const killed = now()
  await coordinator.kill()
  await until('that the group has another coordinator', async () => {
    const { id } = await coordinatorOf(kafka, group.admin, group.groupId)
    return id !== coordinator.id
  })
  say(`another coordinator after ${seconds(now() - killed)}`)
  expect((await group.settled()).moved).toBe(0)

  // The new one knows the group: a leave and a join move what they have to, and no more.
  await a!.terminate()
  expect((await group.settled()).moved).toBe(4)
  await group.add('d')
  expect((await group.settled()).moved).toBe(4)

  await coordinator.start()
  await topicsReady(group.admin, { orders: 12 }, 3)
  expect((await group.settled()).moved).toBe(0)
  await group.nothingLost()
  expect(group.ledger.needlessDuplicates()).toEqual([])
})
