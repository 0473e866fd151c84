/** New partitions of a follower's topic find an owner, also under a leader that does not look for them. */
import { expect, test } from '@jest/globals'
import { rangeAssignor, stickyAssignor } from './factories'
import { FakeKafka } from './testing/fake-kafka'
import { rebalance, ScriptedConsumer } from './testing/scripted-consumer'
import { until } from './testing/until'

/** A leader that looks at its topics only every 5 minutes, and a follower that does so every few milliseconds. */
async function group(factory: typeof stickyAssignor = stickyAssignor) {
  const kafka = new FakeKafka({ mine: 1, theirs: 2 })
  const start = (clientId: string, topics: string[], metadataMaxAge: number) =>
    ScriptedConsumer.start(kafka, { clientId, topics, assigners: [factory()], consumer: { metadataMaxAge } })
  const leader = await start('leader', ['mine'], 300_000)
  await rebalance(leader)
  const follower = await start('follower', ['theirs'], 5)
  await rebalance(leader, follower)
  kafka.topics.set('theirs', 4)
  return { kafka, leader, follower }
}

/** kafkajs sees that its topic has grown, and rejoins. */
async function see(follower: ScriptedConsumer): Promise<void> {
  await follower.cluster.refreshMetadata()
  await follower.group.fetch(1)
}

test.each([
  ['sticky', stickyAssignor],
  ['range', rangeAssignor],
])('the follower asks for a rebalance where nobody owns them (%s)', async (_, factory) => {
  const { kafka, leader, follower } = await group(factory)
  const { generation } = kafka.group('group')
  await see(follower)
  expect(kafka.group('group')).toMatchObject({ generation, phase: 'stable' })
  await until('a rejoin', () =>
    follower.heartbeat().then(
      () => false,
      () => true,
    ),
  )
  const join = follower.join()
  await until('a rebalance', () =>
    leader.heartbeat().then(
      () => false,
      () => true,
    ),
  )
  await Promise.all([join, leader.join()])
  expect(follower.assigned).toEqual(['theirs-0', 'theirs-1', 'theirs-2', 'theirs-3'])
  const line = kafka.logs.filter(({ fields }) => fields.event === 'assignment' && fields.role === 'follower').at(-1)!
  expect(line.fields.reason).toBe('nobody owns the new partitions of topic theirs')
  for (const member of [leader, follower]) await member.disconnect()
})

test('the follower looks again where the coordinator did not answer', async () => {
  const { kafka, leader, follower } = await group()
  kafka.once('DescribeGroups', () => Promise.reject(new Error('moved')))
  await see(follower)
  await until('a rejoin', () =>
    follower.heartbeat().then(
      () => false,
      () => true,
    ),
  )
  expect(kafka.sent('DescribeGroups')).toHaveLength(2)
  for (const member of [leader, follower]) await member.disconnect()
})

test('the follower keeps quiet where the leader has seen to them', async () => {
  const { kafka, leader, follower } = await group()
  const other = await ScriptedConsumer.start(kafka, { ...follower.options, clientId: 'other' })
  await rebalance(leader, follower, other)
  const { generation } = kafka.group('group')
  expect([...follower.assigned, ...other.assigned]).toHaveLength(4)
  for (const member of [follower, other]) await see(member)
  await until('a look', () => kafka.sent('DescribeGroups').length > 0)
  for (const member of [leader, follower, other]) {
    await member.heartbeat()
    await member.disconnect()
  }
  expect(kafka.group('group').generation).toBe(generation)
})

test('a leadership that moves is no growth', async () => {
  const { kafka, follower } = await group()
  kafka.topics.set('theirs', 2)
  await follower.leadershipMoved()
  // One that began later and has come to its end tells that this one had the time.
  const clock = await group()
  await see(clock.follower)
  await until('the other look', () => clock.kafka.sent('DescribeGroups').length > 0)
  expect(kafka.sent('DescribeGroups')).toEqual([])
})
