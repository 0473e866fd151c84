/** What a member makes of the coordinator's answers, and when it does without them. */
import { describe, expect, test } from '@jest/globals'
import { logLevel } from 'kafkajs'
import { decodeAssignment } from '../protocol'
import { writeAssignment } from '../protocol/assignment'
import { stickyAssignor } from './factories'
import { toBuffer } from './group-plan'
import { FakeKafka } from './testing/fake-kafka'
import { rebalance, ScriptedConsumer } from './testing/scripted-consumer'

const start = (kafka: FakeKafka, clientId: string, assigners = [stickyAssignor()], topics = [...kafka.topics.keys()]) =>
  ScriptedConsumer.start(kafka, { clientId, topics, assigners })

const encoded = (partitions: { topic: string; partitions: number[] }[]) => toBuffer(writeAssignment({ partitions }))

describe('the assignment that kafkajs gets', () => {
  const given = async (bytes: Buffer) => {
    const kafka = new FakeKafka({ wa: 3, wb: 2 })
    const c1 = await start(kafka, 'c1')
    kafka.once('SyncGroup', async request => {
      kafka.group('group').give(new Map([[request.memberId, bytes]]))
      return { errorCode: 0, memberAssignment: bytes }
    })
    await rebalance(c1)
    return { kafka, c1 }
  }

  test('has a topic that the leader named twice merged (librdkafka)', async () => {
    const { c1 } = await given(
      encoded([
        { topic: 'wa', partitions: [2] },
        { topic: 'wb', partitions: [0, 1] },
        { topic: 'wa', partitions: [1, 0] },
      ]),
    )
    expect(c1.assigned).toEqual(['wa-0', 'wa-1', 'wa-2', 'wb-0', 'wb-1'])
  })

  test('is empty, with a warning, where the leader sent nothing that can be read', async () => {
    for (const hex of ['00', 'ff', '0000ffff', '00007fffffff0001', 'ffffffffff']) {
      const { c1, kafka } = await given(Buffer.from(hex, 'hex'))
      expect(c1.assigned).toEqual([])
      expect(kafka.logs.filter(({ fields }) => fields.event === 'assignment-unreadable')).toHaveLength(1)
    }
  })

  test('has no negative partition', async () => {
    const { c1 } = await given(encoded([{ topic: 'wa', partitions: [-1, 1, 1] }]))
    expect(c1.assigned).toEqual(['wa-1'])
  })
})

describe('a rejoin of kafkajs outside of a rebalance', () => {
  const settled = async () => {
    const kafka = new FakeKafka({ T: 4 })
    const [c1, c2] = [await start(kafka, 'c1'), await start(kafka, 'c2')]
    await rebalance(c1, c2)
    const { leaderId } = kafka.group('group')
    const [leader, follower] = c1.memberId === leaderId ? [c1, c2] : [c2, c1]
    return { kafka, group: kafka.group('group'), leader: leader!, follower: follower! }
  }

  /** A commit that was under way when the generation ended. */
  const doubt = async (kafka: FakeKafka, consumer: ScriptedConsumer) => {
    kafka.once('OffsetCommit', () => ({ responses: [{ topic: 'T', partitions: [{ partition: 0, errorCode: 22 }] }] }))
    const { groupId, memberId } = consumer
    const commit = { groupId, memberId, groupGenerationId: 0, topics: [{ topic: 'T', partitions: [] }] }
    await expect(consumer.group.coordinator.offsetCommit(commit)).rejects.toMatchObject({ type: 'ILLEGAL_GENERATION' })
  }

  test('is answered from memory, for the leader too: nobody rebalances', async () => {
    const { kafka, group, leader, follower } = await settled()
    const { generation, rebalances } = group
    const [owned, joins] = [leader.assigned, kafka.sent('JoinGroup').length]
    for (const consumer of [leader, follower]) await consumer.leadershipMoved()
    expect(kafka.sent('JoinGroup')).toHaveLength(joins)
    expect(group).toMatchObject({ generation, rebalances, phase: 'stable' })
    expect(leader.assigned).toEqual(owned)
    expect(leader.events.at(-1)!.payload).toMatchObject({ isLeader: true, groupProtocol: 'sticky' })
    await leader.heartbeat()
  })

  test('asks the coordinator again, in the same words, once any answer made the membership doubtful', async () => {
    const { kafka, group, follower } = await settled()
    const { generation, rebalances } = group
    await doubt(kafka, follower)
    const joins = kafka.sent('JoinGroup').length
    await follower.leadershipMoved()
    expect(kafka.sent('JoinGroup')).toHaveLength(joins + 1)
    expect(follower.sentMetadata().at(-1)).toEqual(follower.sentMetadata().at(-2))
    expect(group).toMatchObject({ generation, rebalances })
  })

  test('by several fetchers at once becomes one JoinGroup and one SyncGroup', async () => {
    const { kafka, follower } = await settled()
    await doubt(kafka, follower)
    const [joins, syncs] = [kafka.sent('JoinGroup').length, kafka.sent('SyncGroup').length]
    const owned = follower.assigned
    await Promise.all([follower.leadershipMoved(), follower.leadershipMoved(), follower.leadershipMoved()])
    expect(kafka.sent('JoinGroup')).toHaveLength(joins + 1)
    expect(kafka.sent('SyncGroup')).toHaveLength(syncs + 1)
    expect(follower.assigned).toEqual(owned)
  })

  test('does not hide that the coordinator forgot the member', async () => {
    const { group, leader, follower } = await settled()
    group.expel(follower.memberId)
    await follower.leadershipMoved()
    await expect(follower.heartbeat()).rejects.toMatchObject({ type: 'UNKNOWN_MEMBER_ID' })
    follower.group.memberId = null
    await rebalance(leader, follower)
    expect([...leader.assigned, ...follower.assigned].sort()).toEqual(['T-0', 'T-1', 'T-2', 'T-3'])
  })
})

test('a rebalance leaves no line at level ERROR', async () => {
  const kafka = new FakeKafka({ T: 2 })
  const [c1, c2] = [await start(kafka, 'c1'), await start(kafka, 'c2')]
  await rebalance(c1)
  const joined = rebalance(c1, c2)
  await expect(c1.heartbeat()).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' })
  await joined
  expect(kafka.logs.filter(({ level }) => level === logLevel.ERROR)).toEqual([])
})

test('the plan of a leader has an entry for every member, decodable to the last byte', async () => {
  const kafka = new FakeKafka({ T: 1 })
  const members = [await start(kafka, 'a'), await start(kafka, 'b'), await start(kafka, 'c')]
  await rebalance(...members)
  const plan = kafka.sent('SyncGroup').find(({ assignments }) => assignments.length > 0)!
  expect(plan.assignments.map(({ memberId }) => memberId).sort()).toEqual(members.map(each => each.memberId).sort())
  for (const { memberAssignment } of plan.assignments)
    expect(decodeAssignment(memberAssignment)).toMatchObject({ version: 3, problem: null, trailing: 0 })
})
