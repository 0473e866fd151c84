/** What users have met: each over sequences of protocol, join and sync in kafkajs' own ConsumerGroup. */
import { describe, expect, test } from '@jest/globals'
import { PartitionAssigners } from 'kafkajs'
import { writeAssignment } from '../protocol/assignment'
import type { PartitionAssigner } from './assigner'
import { stickyAssignor } from './factories'
import { toBuffer } from './group-plan'
import { errorCodes, type SyncAnswer } from './testing/fake-group'
import { FakeKafka } from './testing/fake-kafka'
import { readMetadata, rebalance, ScriptedConsumer } from './testing/scripted-consumer'

const kafkajsRoundRobin = PartitionAssigners.roundRobin as unknown as PartitionAssigner

const start = (kafka: FakeKafka, clientId: string, assigners = [stickyAssignor()], topics = [...kafka.topics.keys()]) =>
  ScriptedConsumer.start(kafka, { clientId, topics, assigners })

const encoded = (partitions: { topic: string; partitions: number[] }[]) => toBuffer(writeAssignment({ partitions }))

describe('field reports', () => {
  test('B01: the survivor keeps its partition when the other returns', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const [c1, c2] = [await start(kafka, 'c1'), await start(kafka, 'c2')]
    await rebalance(c1, c2)
    const kept = c1.assigned
    expect(kept).toHaveLength(1)
    await c2.stop()
    await rebalance(c1)
    expect(c1.assigned).toEqual(['T-0', 'T-1'])
    const c2again = await start(kafka, 'c2')
    await rebalance(c1, c2again)
    expect(c1.assigned).toHaveLength(1)
    expect([...c1.assigned, ...c2again.assigned].sort()).toEqual(['T-0', 'T-1'])
  })

  test('B11: an assignment of zero bytes means none, in the new generation', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const c1 = await start(kafka, 'c1')
    await rebalance(c1)
    expect(c1.assigned).toEqual(['T-0'])
    kafka.once('SyncGroup', async (_, usual) => ({
      ...((await usual()) as SyncAnswer),
      memberAssignment: Buffer.alloc(0),
    }))
    await rebalance(c1)
    expect(c1.assigned).toEqual([])
    await rebalance(c1)
    expect(c1.said()).toEqual({ topics: ['T'], claims: [], generation: null })
    expect(c1.sentMetadata().at(-1)!.subarray(-6, -2).readInt32BE()).toBe(2)
  })

  test('B18: stop() and run() claim what was held, which is stale by then', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const [c1, c2] = [await start(kafka, 'c1'), await start(kafka, 'c2')]
    await rebalance(c1, c2)
    const [mine] = c1.assigned
    const [others] = c2.assigned
    await c1.stop()
    await rebalance(c2)
    expect(c2.assigned).toEqual(['T-0', 'T-1'])
    c1.run()
    await rebalance(c2, c1)
    expect(c1.said()).toEqual({ topics: ['T'], claims: [mine], generation: 1 })
    // c2 holds both by the newer claim and sheds the highest.
    expect(c2.assigned).toEqual(['T-0'])
    expect(c1.assigned).toEqual(['T-1'])
    expect([mine, others].sort()).toEqual(['T-0', 'T-1'])
  })

  test('B19: after ILLEGAL_GENERATION the old claims go along in their own generation', async () => {
    const kafka = new FakeKafka({ T: 3 })
    const [c1, c2, c3] = [await start(kafka, 'c1'), await start(kafka, 'c2'), await start(kafka, 'c3')]
    await rebalance(c1, c2, c3)
    const old = c1.assigned
    kafka.once('Heartbeat', () => ({ errorCode: errorCodes.illegalGeneration }))
    await expect(c1.heartbeat()).rejects.toMatchObject({ type: 'ILLEGAL_GENERATION' })
    const memberId = c1.memberId
    kafka.group('group').expel(memberId)
    await rebalance(c2, c3)
    c1.group.memberId = null
    await rebalance(c1, c2, c3)
    expect(c1.said()).toEqual({ topics: ['T'], claims: old, generation: 1 })
    const all = [c1, c2, c3].map(each => each.assigned)
    expect(all.map(own => own.length)).toEqual([1, 1, 1])
    expect(all.flat().sort()).toEqual(['T-0', 'T-1', 'T-2'])
  })

  test('B24: claims are learned from a round that round robin won', async () => {
    const kafka = new FakeKafka({ T: 4 })
    const both = [stickyAssignor(), kafkajsRoundRobin]
    const [old, fresh] = [await start(kafka, 'a-old', [kafkajsRoundRobin]), await start(kafka, 'b-new', both)]
    await rebalance(old, fresh)
    expect(kafka.group('group').protocol).toBe('RoundRobinAssigner')
    expect(fresh.assigned).toEqual(['T-1', 'T-3'])
    await old.stop()
    const fresh2 = await start(kafka, 'c-new2', both)
    await rebalance(fresh, fresh2)
    expect(kafka.group('group').protocol).toBe('sticky')
    expect(fresh.assigned).toEqual(['T-1', 'T-3'])
    expect(fresh2.assigned).toEqual(['T-0', 'T-2'])
    const line = kafka.logs.filter(({ fields }) => fields.event === 'rebalance').at(-1)!
    expect(line.fields).toMatchObject({ strategy: 'sticky', kept: 2, moved: 2, transferred: 0, unclaimed: 2 })
  })

  test('B25: two consumers of one factory never share what they know', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const shared = stickyAssignor()
    const [x, y] = [await start(kafka, 'x', [shared]), await start(kafka, 'y', [shared])]
    await rebalance(x, y)
    const [xs, ys] = [x.assigned, y.assigned]
    await rebalance(x, y)
    expect(x.said().claims).toEqual(xs)
    expect(y.said().claims).toEqual(ys)
    expect(xs).not.toEqual(ys)
  })

  test('B26: the generation of each sync is advertised at the next join', async () => {
    const kafka = new FakeKafka({ T: 1 })
    kafka.group('group').generation = 7
    const c1 = await start(kafka, 'c1')
    await rebalance(c1)
    await rebalance(c1)
    expect(c1.said().generation).toBe(8)
    await rebalance(c1)
    expect(c1.said().generation).toBe(9)
  })

  test('B28: claims follow in the JoinGroup after a sync', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const c1 = await start(kafka, 'c1')
    await rebalance(c1)
    expect(c1.said()).toEqual({ topics: ['T'], claims: [], generation: null })
    await rebalance(c1)
    expect(c1.said()).toEqual({ topics: ['T'], claims: ['T-0', 'T-1'], generation: 1 })
  })

  test('B30: protocol() twice gives the same bytes', async () => {
    const kafka = new FakeKafka({ first_topic: 2, second_topic: 2 })
    const c1 = await start(kafka, 'c1', [stickyAssignor()], ['first_topic'])
    await rebalance(c1)
    const [assigner] = c1.assigners
    const again = () => assigner!.protocol({ topics: ['first_topic'] }).metadata
    expect(again()).toEqual(again())
    const c2 = await start(kafka, 'c2', [stickyAssignor()], ['second_topic'])
    await rebalance(c1, c2)
    expect(c1.assigned).toEqual(['first_topic-0', 'first_topic-1'])
    expect(c2.assigned).toEqual(['second_topic-0', 'second_topic-1'])
  })

  test('B49: a generation that was joined but never synced does not stamp old claims', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const a = await start(kafka, 'a')
    await rebalance(a)
    expect(a.assigned).toEqual(['T-0', 'T-1'])
    kafka.once('SyncGroup', () => ({ errorCode: errorCodes.rebalanceInProgress, memberAssignment: Buffer.alloc(0) }))
    kafka.group('group').prepare()
    await expect(a.heartbeat()).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' })
    await a.join()
    const rounds = a.sentMetadata().slice(-2)
    expect(rounds.map(bytes => readMetadata(bytes, 'sticky'))).toEqual([
      { topics: ['T'], claims: ['T-0', 'T-1'], generation: 1 },
      { topics: ['T'], claims: ['T-0', 'T-1'], generation: 1 },
    ])
    await rebalance(a)
    expect(a.said().generation).toBe(a.group.generationId! - 1)
  })

  test('B69: whatever lists members pass through, a chosen sticky plan is complete', async () => {
    const lists = [[kafkajsRoundRobin], [stickyAssignor(), kafkajsRoundRobin], [stickyAssignor()]]
    const orders = [
      [0, 1, 2],
      [2, 1, 0],
      [0, 1, 0],
      [1, 2, 1],
    ]
    for (const order of orders) {
      const kafka = new FakeKafka({ T: 6 })
      let members: ScriptedConsumer[] = []
      for (const step of order) {
        const replacements: ScriptedConsumer[] = []
        for (let i = 0; i < 3; i++) {
          const leaving = members.shift()
          await leaving?.stop()
          const joining = await start(kafka, `m${i}`, lists[step]!)
          replacements.push(joining)
          await rebalance(...members, ...replacements)
          const owned = [...members, ...replacements].flatMap(each => each.assigned)
          expect(owned.sort()).toEqual(['T-0', 'T-1', 'T-2', 'T-3', 'T-4', 'T-5'])
        }
        members = replacements
      }
    }
  })

  test('B84: a follower whose fetches moved to another broker repeats its bytes, and nobody rebalances', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const [c1, c2] = [await start(kafka, 'c1'), await start(kafka, 'c2')]
    await rebalance(c1, c2)
    await rebalance(c1, c2)
    const follower = [c1, c2].find(each => each.memberId !== kafka.group('group').leaderId)!
    const { generation, rebalances } = kafka.group('group')
    const owned = follower.assigned
    const before = follower.sentMetadata().at(-1)!
    expect(readMetadata(before, 'sticky').generation).toBe(generation - 1)
    await follower.leadershipMoved()
    expect(follower.assigners[0]!.protocol({ topics: ['T'] }).metadata).toEqual(before)
    expect(kafka.group('group')).toMatchObject({ generation, rebalances })
    expect(follower.assigned).toEqual(owned)
  })

  test('B87: in a group that the broker assigns, the sync result is followed and assign() is not needed', async () => {
    const kafka = new FakeKafka({ T: 3 })
    const c1 = await start(kafka, 'c1')
    const brokerAssigns = (partitions: number[]) => {
      kafka.once('SyncGroup', async request => {
        kafka.group('group').give(new Map([[request.memberId, encoded([{ topic: 'T', partitions }])]]))
        return { errorCode: 0, memberAssignment: encoded([{ topic: 'T', partitions }]) }
      })
    }
    await rebalance(c1)
    for (const partitions of [[0, 1, 2], [0], []]) {
      brokerAssigns(partitions)
      kafka.group('group').prepare()
      await c1.heartbeat().catch(() => {})
      // KIP-848: no leader, no members, and the generation may stay the same.
      kafka.group('group').generation = 4
      kafka.once('JoinGroup', async (_, usual) => ({ ...((await usual()) as object), leaderId: '', members: [] }))
      await c1.join()
      expect(c1.assigned).toEqual(partitions.map(partition => `T-${partition}`))
    }
    const lines = kafka.logs.filter(({ fields }) => fields.event === 'assignment')
    expect(lines.at(-1)!.fields).toMatchObject({ role: 'broker-assigned', assigned: 0 })
    expect(lines.at(-1)!.message).toMatch(/the broker assigns this group/)
  })
})
