/** What goes over the wire between cooperative members and their coordinator, and what kafkajs sees of it: nothing. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { KafkaJSConnectionError, logLevel } from 'kafkajs'
import { decodeStickyUserData, decodeSubscription } from '../../protocol'
import { FakeKafka } from '../testing/fake-kafka'
import type { ApiName } from '../testing/kafkajs-internals'
import { readMetadata, ScriptedConsumer, type ScriptedOptions } from '../testing/scripted-consumer'
import { until } from '../testing/until'
import { cooperativeStickyAssignor } from './cooperative-assigner'
import type { CooperativeOptions } from './options'

const errors = { coordinatorMoved: 16, illegalGeneration: 22 }
const all = ['T-0', 'T-1', 'T-2', 'T-3']

let kafka: FakeKafka
let consumers: ScriptedConsumer[]

beforeEach(() => {
  kafka = new FakeKafka({ T: 4 })
  consumers = []
})
afterEach(async () => {
  await Promise.all(consumers.map(consumer => consumer.disconnect()))
})

const group = () => kafka.group('group')

async function start(
  clientId: string,
  options: CooperativeOptions = {},
  more: Partial<ScriptedOptions> = {},
): Promise<ScriptedConsumer> {
  const assigners = [cooperativeStickyAssignor({ heartbeatIntervalMs: 20, ...options })]
  const consumer = await ScriptedConsumer.start(kafka, { clientId, topics: ['T'], assigners, ...more })
  consumers.push(consumer)
  return consumer
}

async function member(
  clientId: string,
  options: CooperativeOptions = {},
  more: Partial<ScriptedOptions> = {},
): Promise<ScriptedConsumer> {
  const consumer = await start(clientId, options, more)
  await consumer.join()
  return consumer
}

/** kafkajs of these members has each partition once, so many of them each. */
const shared = (...counts: [ScriptedConsumer, number][]) =>
  until(`${counts.map(([, count]) => count)} partitions`, () => {
    const owned = counts.flatMap(([consumer]) => consumer.assigned).sort()
    return counts.every(([each, count]) => each.assigned.length === count) && String(owned) === String(all)
  })

/** The next request of this kind waits for its answer; `sent` when it has come. */
function hold(api: ApiName) {
  const held = { sent: false, answer: () => {} }
  kafka.once(api, async (_, usual) => {
    held.sent = true
    await new Promise<void>(resolve => {
      held.answer = resolve
    })
    return usual()
  })
  return held
}

const sentBy = (clientId: string, api: string) =>
  kafka.requests.filter(each => each.clientId === clientId && each.api === api)
const commitsSeen = (consumer: ScriptedConsumer) =>
  consumer.events.filter(({ name }) => name === 'consumer.commit_offsets')
const joinEvents = (consumer: ScriptedConsumer) =>
  consumer.events.filter(({ name }) => name === 'consumer.group_join').map(({ payload }) => payload as JoinPayload)
interface JoinPayload {
  memberId: string
  isLeader: boolean
  memberAssignment: Record<string, number[]>
}
const errorLines = () => kafka.logs.filter(({ level }) => level === logLevel.ERROR).map(({ message }) => message)

describe('a member joins', () => {
  test('in two rounds: the first takes, the second gives; kafkajs of the other does not join again', async () => {
    const a = await member('a')
    expect(a.assigned).toEqual(all)
    const kafkaJsJoined = a.group.generationId
    const b = await member('b')
    await shared([a, 2], [b, 2])
    expect(group().generation).toBe(3)
    expect(a.group.generationId).toBe(kafkaJsJoined)
    // What it held when it joined: nothing, twice for its member id; all; and what is left when it has handed two over.
    const said = a.sentMetadata().map(bytes => readMetadata(bytes, 'cooperative-sticky'))
    expect(said.map(({ claims, generation }) => [claims.length, generation])).toEqual([
      [0, null],
      [0, null],
      [4, 1],
      [2, 2],
    ])
    expect(errorLines()).toEqual([])
  })

  test('GROUP_JOIN comes once for each generation, with the assignment of that generation, which users may keep', async () => {
    const a = await member('a')
    const b = await member('b')
    await shared([a, 2], [b, 2])
    const sizes = joinEvents(a).map(({ memberAssignment }) => memberAssignment.T!.length)
    expect(sizes).toEqual([4, 2, 2])
    // b is handed to kafkajs after its second round, which is the event of its join.
    expect(joinEvents(b).map(({ memberAssignment }) => memberAssignment.T!.length)).toEqual([2])
    for (const { memberAssignment } of joinEvents(a)) memberAssignment.T!.length = 0
    expect(a.assigned).toHaveLength(2)
    expect(joinEvents(a).map(({ isLeader }) => isLeader)).toEqual([true, true, true])
    expect(new Set(joinEvents(a).map(({ memberId }) => memberId))).toEqual(new Set([a.memberId]))
  })

  test('HEARTBEAT and commits carry the generation that is, not the one that kafkajs knows', async () => {
    const a = await member('a')
    const b = await member('b')
    await shared([a, 2], [b, 2])
    const beat = { groupId: 'group', memberId: 'stale', groupGenerationId: 1 }
    await a.group.coordinator.heartbeat(beat)
    expect(beat).toEqual({ groupId: 'group', memberId: a.memberId, groupGenerationId: 3 })
    const commit = {
      groupId: 'group',
      memberId: 'stale',
      groupGenerationId: 1,
      topics: [{ topic: 'T', partitions: [{ partition: Number(a.assigned[0]!.slice(2)), offset: '1' }] }],
    }
    await a.group.coordinator.offsetCommit(commit)
    expect(kafka.sent('OffsetCommit')).toEqual([{ groupId: 'group', memberId: a.memberId, generationId: 3 }])
    expect(commit).toMatchObject({ memberId: a.memberId, groupGenerationId: 3 })
  })

  test('surfaced: kafkajs is made to join with the answers at hand, which costs the group nothing', async () => {
    const a = await member('a', { tier: 'surfaced' })
    const b = await member('b')
    await until('that a has given two up', () => group().generation === 3)
    const joins = kafka.sent('JoinGroup').length
    // The next fetch brings it.
    await a.fetch()
    await shared([a, 2], [b, 2])
    expect(kafka.sent('JoinGroup')).toHaveLength(joins)
    expect(group().generation).toBe(3)
    // kafkajs' own join is no generation of the group.
    expect(joinEvents(a).map(({ memberAssignment }) => memberAssignment.T!.length)).toEqual([4, 2, 2])
  })

  test('surfaced, while no broker can be reached: kafkajs joins all the same', async () => {
    const a = await member('a', { tier: 'surfaced' })
    const b = await member('b')
    await until('that a has given two up', () => group().generation === 3)
    // What kafkajs' retries make of an error that says nothing of being retriable.
    const refused = new KafkaJSConnectionError('refused', { code: 'ECONNREFUSED' } as never)
    const pool = a.cluster.brokerPool as unknown as { refreshMetadata(): Promise<void> }
    pool.refreshMetadata = () =>
      Promise.reject(Object.assign(new Error('refused'), { name: 'KafkaJSNonRetriableError', cause: refused }))
    await a.fetch()
    await shared([a, 2], [b, 2])
  })

  test.each(['in-place', 'surfaced'] as const)('%s: a join of kafkajs’ own is no GROUP_JOIN', async tier => {
    const a = await member('a', { tier })
    await a.leadershipMoved()
    expect(joinEvents(a)).toHaveLength(1)
    expect(a.assigned).toEqual(all)
    // A new run is a new join.
    await a.stop()
    a.run()
    await a.join()
    expect(joinEvents(a)).toHaveLength(2)
    expect(joinEvents(a).at(-1)!.memberAssignment).toEqual({ T: [0, 1, 2, 3] })
  })
})

describe('surfaced, with two fetchers', () => {
  const automatic = { autoCommit: true }

  beforeEach(() => {
    kafka.nodes.set(2, { rack: null })
    kafka.topics.set('T', [[1], [2], [1], [2]])
  })

  test('a seek on a partition that has been given up does not end the consumer', async () => {
    const a = await member('a', { tier: 'surfaced', foreignCommits: 'throw' }, automatic)
    await a.fetch(1)
    const b = await member('b')
    await until('that a has given two up', () => b.assigned.length === 2)
    const gone = Number(b.assigned[0]!.slice(2))
    // kafkajs' own view is still the old one: one fetcher is busy joining, another goes on.
    const metadata = hold('Metadata')
    const joining = a.fetch(1)
    await until('that it is joining', () => metadata.sent)
    a.group.seek({ topic: 'T', partition: gone, offset: '7' })
    await a.fetch((gone % 2) + 1)
    expect(kafka.sent('OffsetCommit')).toEqual([])
    metadata.answer()
    await joining
    await shared([a, 2], [b, 2])
  })

  test('the position after a join is that of the last commit, whichever is answered first', async () => {
    const a = await member('a', { tier: 'surfaced' }, automatic)
    await a.fetch(1)
    const commit = (through: number) => {
      a.group.resolveOffset({ topic: 'T', partition: 0, offset: String(through) })
      const held = hold('OffsetCommit')
      return { held, done: a.group.commitOffsets() }
    }
    const first = commit(54)
    await first.done
    const second = commit(59)
    await second.done
    await a.join()
    first.held.answer()
    await until('that the first one is through', () => commitsSeen(a).length > 2)
    await a.fetch(1)
    expect(String(a.group.offsetManager.nextOffset('T', 0))).toBe('60')
    second.held.answer()
  })

  test('the position after a join is that of a commit that is answered together with the question for it', async () => {
    const a = await member('a', { tier: 'surfaced' }, automatic)
    await a.fetch(1)
    a.group.resolveOffset({ topic: 'T', partition: 0, offset: '59' })
    const commit = hold('OffsetCommit')
    await a.group.commitOffsets()
    await a.join()
    const position = hold('OffsetFetch')
    const fetching = a.fetch(1)
    await until('that it is asked for', () => position.sent)
    position.answer()
    commit.answer()
    await fetching
    expect(String(a.group.offsetManager.nextOffset('T', 0))).toBe('60')
  })
})

describe('a member that left because a handler is stuck', () => {
  test('keeps its id for kafkajs, which asks meanwhile, and its handler counts as running', async () => {
    const a = await member('a', { maxPollIntervalMs: 200 })
    const record = { offset: '0', key: null, value: Buffer.from('x'), timestamp: '0', headers: {} }
    kafka.once('Fetch', async (_, usual) => {
      const answer = (await usual()) as { responses: { partitions: { partition: number; messages: object[] }[] }[] }
      answer.responses[0]!.partitions.find(({ partition }) => partition === 0)!.messages = [record]
      return answer
    })
    expect(await a.fetch()).toHaveLength(4)
    const { memberId } = a
    a.batchStarted('T', 0)
    // All else goes on.
    await until('that it has left', () => a.heartbeat().then(() => group().members.size === 0))
    for (let i = 0; i < 2; i++) {
      await a.leadershipMoved()
      expect(a.memberId).toBe(memberId)
    }
    expect(sentBy('a', 'JoinGroup')).toHaveLength(2)
    expect(a.assigned).toEqual([])
    a.batchEnded('T', 0)
    await until('that it has joined again', () => a.fetch().then(() => a.assigned.length === 4))
    await a.stop()
    expect(group().members.size).toBe(0)
  })
})

describe('a member goes', () => {
  test('in one round; the other gets its partitions in place', async () => {
    const a = await member('a')
    const b = await member('b')
    await shared([a, 2], [b, 2])
    await a.stop()
    await shared([b, 4])
    expect(group().generation).toBe(4)
    expect([...group().members.keys()]).toEqual([b.memberId])
  })

  test('while its first JoinGroup is parked: it is out of the group at once, and its join ends with an error', async () => {
    const a = await member('a')
    group().expected = 3
    const b = await start('b')
    const joining = b.join().catch(error => error)
    await until('that JoinGroup of both is parked', () => group().phase === 'joining' && group().members.size === 2)
    await b.disconnect()
    expect(String(await joining)).toMatch(/stopped while it was joining/)
    expect([...group().members.keys()]).toEqual([a.memberId])
    group().expected = 1
    group().prepare()
    kafka.cut('a')
    await until('that a goes on', () => group().phase === 'stable')
    expect(a.assigned).toEqual(all)
  })

  test('with a crash for good, and comes back at once: the new run waits for the end of the old one', async () => {
    const a = await member('a')
    let answer: (() => void) | undefined
    kafka.once('LeaveGroup', (_, usual) => new Promise<void>(resolve => (answer = resolve)).then(usual))
    await a.crash({ restart: false })
    await a.startAgain()
    const joining = a.join()
    await until('that it leaves', () => answer !== undefined)
    // One that did not wait would have joined by then.
    await Promise.race([joining, new Promise(resolve => setTimeout(resolve, 100))])
    answer!()
    await joining
    expect(a.assigned).toEqual(all)
    const beats = sentBy('a', 'Heartbeat').length
    await until('that it lives', () => sentBy('a', 'Heartbeat').length > beats)
  })

  test('with a crash, and fails to start again and again: it keeps its place in the group until it is back', async () => {
    const a = await member('a')
    await a.crash({ restart: true })
    await a.failedToStart()
    await a.failedToStart()
    expect([...group().members.keys()]).toEqual([a.memberId])
    const { memberId } = a
    await a.startAgain()
    await a.join()
    expect(a.memberId).toBe(memberId)
    expect(sentBy('a', 'LeaveGroup')).toEqual([])
  })

  test('with a crash, and is disconnected while kafkajs waits to start it again: it leaves', async () => {
    const a = await member('a')
    await a.crash({ restart: true })
    await a.failedToStart()
    await a.disconnect()
    expect(group().members.size).toBe(0)
  })

  test('by stop() while the coordinator cannot be told, and is told by disconnect()', async () => {
    const a = await member('a')
    kafka.once('LeaveGroup', () => new Promise(() => {}))
    await a.stop()
    await a.disconnect()
    expect(group().members.size).toBe(0)
  })

  test('while it rejoins: what it waits for ends without a trace', async () => {
    const a = await member('a')
    const b = await member('b')
    await shared([a, 2], [b, 2])
    const before = kafka.sent('JoinGroup').length
    group().expected = 3
    group().prepare()
    await until('that both are parked', () => kafka.sent('JoinGroup').length === before + 2)
    await b.stop()
    await b.disconnect()
    expect([...group().members.keys()]).toEqual([a.memberId])
    const joins = sentBy('b', 'JoinGroup').length
    group().expected = 1
    kafka.cut('a')
    await shared([a, 4])
    expect(sentBy('b', 'JoinGroup')).toHaveLength(joins)
    expect(errorLines()).toEqual([])
  })
})

describe('in place', () => {
  test('is not doubted because of partitions that the user has paused', async () => {
    const a = await member('a')
    const b = await member('b')
    await shared([a, 2], [b, 2])
    ;(b.group as unknown as { pause(topics: { topic: string }[]): void }).pause([{ topic: 'T' }])
    await a.stop()
    await shared([b, 4])
    for (let i = 0; i < 5; i++) await b.fetch()
    expect(kafka.logs.filter(({ fields }) => fields.event === 'tier-surfaced')).toEqual([])
  })
})

describe('a broker', () => {
  const refused = () => new KafkaJSConnectionError('refused', { code: 'ECONNREFUSED' } as never)

  test('that takes connections and answers no fetch becomes kafkajs’ affair after a session', async () => {
    const assigners = [cooperativeStickyAssignor({ heartbeatIntervalMs: 20, fetchMaxWaitMs: 1 })]
    const a = await ScriptedConsumer.start(kafka, { clientId: 'a', topics: ['T'], assigners, sessionTimeout: 200 })
    consumers.push(a)
    await a.join()
    const isTold = () => {
      kafka.once('Fetch', () => Promise.reject(refused()))
      return a.fetch().then(
        () => false,
        error => error.name === 'KafkaJSConnectionError',
      )
    }
    await until('that kafkajs is told', isTold)
    // It ends the consumer, to start it again.
    const { memberId } = a
    await a.stop()
    await a.crash({ restart: true })
    expect([...group().members.keys()]).toEqual([memberId])
    a.run()
    await a.join()
    expect([...group().members.keys()]).toEqual([memberId])
    expect(a.assigned).toEqual(all)
    await until('that kafkajs is told again', isTold)
    await a.stop()
    await a.crash({ restart: false })
    await until('that it has left, since kafkajs does not start it again', () => group().members.size === 0)
  })

  test('that is the coordinator and cannot be reached when kafkajs starts again: it is looked for as ever', async () => {
    const a = await member('a')
    await a.stop()
    a.run()
    const pool = a.cluster.brokerPool as unknown as { findBroker(options: object): Promise<unknown> }
    const { findBroker } = pool
    let calls = 0
    pool.findBroker = async options => {
      // The first one only asks who is the coordinator.
      if (++calls === 2) throw refused()
      return findBroker.call(pool, options)
    }
    await a.join()
    expect(calls).toBeGreaterThan(2)
    expect(a.assigned).toEqual(all)
  })
})

describe('a membership is lost', () => {
  const losses: string[] = []
  const onPartitionsLost = ({ partitions }: { partitions: Record<string, number[]> }) =>
    void losses.push(...Object.entries(partitions).flatMap(([topic, ids]) => ids.map(id => `${topic}-${id}`)))
  beforeEach(() => {
    losses.length = 0
  })

  test('ILLEGAL_GENERATION: joins under its old id and says what it had as released; kafkajs notices nothing', async () => {
    const a = await member('a', { onPartitionsLost })
    const { memberId } = a
    kafka.once('Heartbeat', () => ({ errorCode: errors.illegalGeneration }))
    await until('that it has joined again', () => group().generation === 2 && group().phase === 'stable')
    await shared([a, 4])
    expect(losses).toEqual(all)
    expect([...group().members.keys()]).toEqual([memberId])
    const { ownedPartitions, userData } = decodeSubscription(a.sentMetadata().at(-1)!)
    expect(ownedPartitions).toEqual([])
    expect(decodeStickyUserData(userData).partitions).toEqual([{ topic: 'T', partitions: [0, 1, 2, 3] }])
    expect(errorLines()).toEqual([])
  })

  test('UNKNOWN_MEMBER_ID: joins as a new member', async () => {
    const a = await member('a', { onPartitionsLost })
    const { memberId } = a
    group().expel(memberId)
    await until('that it is a member again', () => group().members.size === 1 && group().phase === 'stable')
    await shared([a, 4])
    expect(losses).toEqual(all)
    expect(group().members.has(memberId)).toBe(false)
    const beat = { groupId: 'group', memberId, groupGenerationId: 1 }
    await a.group.coordinator.heartbeat(beat)
    expect(beat.memberId).toBe([...group().members.keys()][0])
  })

  test('of one member: the other keeps what it has, and never gets the lost ones twice', async () => {
    const a = await member('a')
    const b = await member('b', { onPartitionsLost })
    await shared([a, 2], [b, 2])
    const kept = a.assigned
    const had = b.assigned
    // The round waits for both.
    group().expected = 2
    group().expel([...group().members.keys()].find(id => id.startsWith('b-'))!)
    await until('that b has lost its own', () => losses.length === 2)
    await shared([a, 2], [b, 2])
    expect(a.assigned).toEqual(kept)
    expect(b.assigned).toEqual(had)
  })
})

describe('the coordinator', () => {
  test('moves: it is looked for again; nobody joins and nothing is lost', async () => {
    const a = await member('a')
    const { generation, rebalances } = group()
    const lookups = sentBy('a', 'GroupCoordinator').length
    const joins = sentBy('a', 'JoinGroup').length
    kafka.once('Heartbeat', () => ({ errorCode: errors.coordinatorMoved }))
    await until('that it is looked for', () => sentBy('a', 'GroupCoordinator').length > lookups)
    const beats = sentBy('a', 'Heartbeat').length
    await until('that heartbeats go on', () => sentBy('a', 'Heartbeat').length > beats)
    expect(group()).toMatchObject({ generation, rebalances })
    expect(sentBy('a', 'JoinGroup')).toHaveLength(joins)
    expect(a.assigned).toEqual(all)
  })

  test('moves within a round: the round is begun again under the same id', async () => {
    const a = await member('a')
    kafka.once('SyncGroup', () => ({ errorCode: errors.coordinatorMoved, memberAssignment: Buffer.alloc(0) }))
    group().prepare()
    await until('the next generation', () => group().generation > 1 && group().phase === 'stable')
    expect([...group().members.keys()]).toEqual([a.memberId])
    await until('that what it has is said again', () => joinEvents(a).length > 1)
    expect(a.assigned).toEqual(all)
  })

  test('breaks the connection under a parked JoinGroup: it is sent again, and nothing is lost', async () => {
    const a = await member('a')
    group().expected = 2
    group().prepare()
    await until('that it is parked', () => sentBy('a', 'JoinGroup').length === 3)
    kafka.cut('a')
    await until('that it is sent again', () => sentBy('a', 'JoinGroup').length === 4)
    const b = await member('b')
    await shared([a, 2], [b, 2])
    expect(kafka.logs.filter(({ fields }) => fields.event === 'partitions-lost')).toEqual([])
  })
})
