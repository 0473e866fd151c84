/** A leader notices when a topic that it planned changes, also one that it does not read. */
import { afterEach, expect, test } from '@jest/globals'
import { roundRobinAssignor, stickyAssignor } from './factories'
import { FakeKafka } from './testing/fake-kafka'
import { rebalance, ScriptedConsumer } from './testing/scripted-consumer'
import { until } from './testing/until'

const consumers: ScriptedConsumer[] = []
afterEach(async () => {
  for (const consumer of consumers.splice(0)) await consumer.disconnect()
})

/** A leader and a follower, each with a topic of its own; the leader looks at the topics every few milliseconds. */
async function pair(kafka: FakeKafka, assigners = [stickyAssignor()]) {
  const consumer = { metadataMaxAge: 5 }
  const options = { assigners, consumer }
  const a = await ScriptedConsumer.start(kafka, { ...options, clientId: 'a', topics: ['mine'] })
  const b = await ScriptedConsumer.start(kafka, { ...options, clientId: 'b', topics: ['theirs'] })
  consumers.push(a, b)
  await rebalance(a, b)
  const leads = a.memberId === kafka.group('group').leaderId
  return leads ? { leader: a, follower: b } : { leader: b, follower: a }
}

const looks = (kafka: FakeKafka) =>
  kafka.sent('Metadata').filter(({ topics }) => topics?.includes('mine') && topics.includes('theirs')).length

/** Waits until the watch has looked so many times more: the last look may still wait for its answer. */
async function looked(kafka: FakeKafka, times: number): Promise<void> {
  const before = looks(kafka)
  await until(`${times} looks`, () => looks(kafka) >= before + times)
}

/** Waits until heartbeats say that the group has to be joined anew. */
async function asksToRejoin(consumer: ScriptedConsumer): Promise<void> {
  await until('a rejoin', async () => {
    const error = await consumer.heartbeat().catch(e => e)
    if (error) expect(error).toMatchObject({ type: 'REBALANCE_IN_PROGRESS' })
    return error !== undefined
  })
}

const reason = (kafka: FakeKafka) =>
  kafka.logs.filter(({ fields }) => fields.event === 'rebalance').at(-1)!.fields.reason

test('a topic of another member grows', async () => {
  const kafka = new FakeKafka({ mine: 1, theirs: 1 })
  const { leader, follower } = await pair(kafka)
  const { generation } = kafka.group('group')
  kafka.topics.set('theirs', 3)
  await asksToRejoin(leader)
  // Until the member has joined anew, every heartbeat says so: a handler may have swallowed the first.
  await expect(leader.heartbeat()).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' })
  const join = leader.join()
  await asksToRejoin(follower)
  await Promise.all([join, follower.join()])
  expect(kafka.group('group').generation).toBe(generation + 1)
  expect([...leader.assigned, ...follower.assigned].filter(key => key.startsWith('theirs'))).toHaveLength(3)
  expect(reason(kafka)).toBe('topic theirs went from 1 to 3 partitions')
  await looked(kafka, 2)
  await leader.heartbeat()
})

test('a topic that was missing appears', async () => {
  const kafka = new FakeKafka({ mine: 1, theirs: 1 })
  const { leader, follower } = await pair(kafka)
  kafka.autoCreateTopics = false
  kafka.topics.delete('theirs')
  await rebalance(leader, follower)
  expect([...leader.assigned, ...follower.assigned]).toEqual(['mine-0'])
  await leader.heartbeat()
  kafka.topics.set('theirs', 2)
  await asksToRejoin(leader)
})

test('a topic is gone, by the cluster’s own word; one that cannot be seen just now is not', async () => {
  const kafka = new FakeKafka({ mine: 1, theirs: 1 })
  const { leader } = await pair(kafka)
  kafka.forbidden.add('theirs')
  await looked(kafka, 2)
  await leader.heartbeat()
  kafka.forbidden.clear()
  kafka.topics.delete('theirs')
  await asksToRejoin(leader)
})

test('replicas that move to another rack matter where members tell theirs', async () => {
  for (const [rackId, matters] of [
    ['r1', true],
    [undefined, false],
  ] as const) {
    const kafka = new FakeKafka({ mine: 1, theirs: [[1], [1]] })
    kafka.nodes.set(1, { rack: 'r1' }).set(2, { rack: 'r2' })
    const { leader } = await pair(kafka, [stickyAssignor({ rackId })])
    kafka.topics.set('theirs', [[1], [2]])
    if (matters) await asksToRejoin(leader)
    else {
      await looked(kafka, 2)
      await leader.heartbeat()
    }
  }
})

test('works under every strategy, and only the leader looks', async () => {
  const kafka = new FakeKafka({ mine: 1, theirs: 1 })
  const { leader, follower } = await pair(kafka, [roundRobinAssignor()])
  kafka.topics.set('mine', 2).set('theirs', 2)
  await asksToRejoin(leader)
  await follower.heartbeat()
})

test('a look that fails is logged, and the next one is made', async () => {
  const kafka = new FakeKafka({ mine: 1, theirs: 1 })
  const { leader } = await pair(kafka)
  for (let i = 0; i < 3; i++) kafka.once('Metadata', () => Promise.reject(new Error('unreachable')))
  await looked(kafka, 4)
  expect(kafka.logs.some(({ fields }) => fields.event === 'topic-watch-failed')).toBe(true)
  await leader.heartbeat()
})

test('ends with the membership', async () => {
  const clock = new FakeKafka({ mine: 1, theirs: 1 })
  await pair(clock)
  for (const end of ['stop', 'disconnect'] as const) {
    const kafka = new FakeKafka({ mine: 1, theirs: 1 })
    const { leader } = await pair(kafka)
    await looked(kafka, 1)
    await leader[end]()
    const before = looks(kafka)
    await looked(clock, 3)
    expect(looks(kafka)).toBe(before)
  }
})

test('a rejoin of kafkajs outside of a rebalance makes it look at once', async () => {
  const kafka = new FakeKafka({ mine: 1, theirs: 1 })
  const a = await ScriptedConsumer.start(kafka, {
    clientId: 'a',
    topics: ['mine', 'theirs'],
    assigners: [stickyAssignor()],
  })
  consumers.push(a)
  await rebalance(a)
  kafka.topics.set('mine', 2)
  await a.cluster.refreshMetadata()
  // kafkajs has seen that its topic grew, minutes before the watch would look again.
  await a.group.fetch(1)
  await asksToRejoin(a)
  await a.join()
  expect(a.assigned).toEqual(['mine-0', 'mine-1', 'theirs-0'])
})

test('goes on after a rejoin of kafkajs outside of a rebalance, for which there is nothing to plan', async () => {
  const kafka = new FakeKafka({ mine: 1, theirs: 1 })
  const { leader, follower } = await pair(kafka)
  await leader.leadershipMoved()
  kafka.topics.set('theirs', 2)
  await asksToRejoin(leader)
  const join = leader.join()
  await asksToRejoin(follower)
  await Promise.all([join, follower.join()])
  // Nobody is new.
  const line = kafka.logs.filter(({ fields }) => fields.event === 'rebalance').at(-1)!
  expect(line.fields).toMatchObject({ reason: 'topic theirs went from 1 to 2 partitions' })
})
