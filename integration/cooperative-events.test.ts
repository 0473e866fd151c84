/**
 * What kafkajs' instrumentation events say of a cooperative consumer: GROUP_JOIN once for each generation, with the
 * assignment that the coordinator has; HEARTBEAT and COMMIT_OFFSETS with the generation that the coordinator has. The
 * coordinator is asked by heartbeats of the test's own: it refuses every other generation.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type Admin, type Consumer, Kafka, logLevel, PartitionAssigners, type Producer } from 'kafkajs'
import { cooperativeStickyAssignor, type RebalanceReport } from 'kafkajs-sticky-assignor'
import { stableMembers } from './support/broker-view'
import { tiers } from './support/cooperative'
import { type RunningKafka, startKafka } from './support/kafka'
import { createTopics } from './support/topics'
import { until } from './support/wait'

interface Beat {
  groupId: string
  memberId: string
  groupGenerationId: number
}

/** As kafkajs' cluster gives it to an assigner. */
interface Cluster {
  connect(): Promise<void>
  disconnect(): Promise<void>
  findGroupCoordinator(options: { groupId: string }): Promise<{ heartbeat(beat: Beat): Promise<unknown> }>
}

interface Join {
  memberId: string
  isLeader: boolean
  leaderId: string
  assignment: Record<string, number[]>
}

interface Member {
  consumer: Consumer
  joins: Join[]
  reports: RebalanceReport[]
  beats: Beat[]
  commits: { generation: number; partition: number }[]
  seen: string[]
}

const topic = 'orders'
let kafka: RunningKafka
let admin: Admin
let producer: Producer
let cluster: Cluster
let members: Member[] = []
const errors: string[] = []

beforeAll(async () => {
  kafka = await startKafka()
  const client = new Kafka({ clientId: 'test', brokers: kafka.brokers, logLevel: logLevel.NOTHING })
  admin = client.admin()
  producer = client.producer({ idempotent: true, maxInFlightRequests: 1 })
  await Promise.all([admin.connect(), producer.connect()])
  await createTopics(admin, { [topic]: 6 })
  client.consumer({
    groupId: 'none',
    partitionAssigners: [
      config => {
        cluster = (config as unknown as { cluster: Cluster }).cluster
        return PartitionAssigners.roundRobin(config)
      },
    ],
  })
  await cluster.connect()
  // On a new broker kafkajs logs an error until there is one.
  await until('that there are coordinators', () => cluster.findGroupCoordinator({ groupId: 'none' }))
})
afterEach(async () => {
  await Promise.all(members.map(({ consumer }) => consumer.disconnect()))
  members = []
})
afterAll(async () => {
  await Promise.all([admin?.disconnect(), producer?.disconnect(), cluster?.disconnect()])
  await kafka?.remove()
})

async function start(groupId: string, tier: (typeof tiers)[number]): Promise<Member> {
  const client = new Kafka({
    clientId: 'test',
    brokers: kafka.brokers,
    logLevel: logLevel.ERROR,
    logCreator:
      () =>
      ({ namespace, log }) =>
        void errors.push(`${namespace}: ${log.message}`),
  })
  const reports: RebalanceReport[] = []
  const consumer = client.consumer({
    groupId,
    sessionTimeout: 6000,
    heartbeatInterval: 100,
    maxWaitTimeInMs: 100,
    partitionAssigners: [cooperativeStickyAssignor({ tier, onRebalance: report => void reports.push(report) })],
  })
  const member: Member = { consumer, joins: [], reports, beats: [], commits: [], seen: [] }
  members.push(member)
  const { GROUP_JOIN, HEARTBEAT, COMMIT_OFFSETS } = consumer.events
  consumer.on(GROUP_JOIN, ({ payload: { memberId, isLeader, leaderId, memberAssignment } }) => {
    member.joins.push({ memberId, isLeader, leaderId, assignment: structuredClone(memberAssignment) as never })
    // A listener may do with it as it likes.
    for (const partitions of Object.values(memberAssignment) as unknown as number[][]) partitions.length = 0
  })
  consumer.on(HEARTBEAT, ({ payload }) => void member.beats.push({ ...payload }))
  consumer.on(COMMIT_OFFSETS, ({ payload }) => {
    for (const { partitions } of payload.topics)
      for (const { partition } of partitions)
        member.commits.push({ generation: payload.groupGenerationId, partition: Number(partition) })
  })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({ eachMessage: async ({ message }) => void member.seen.push(String(message.value)) })
  return member
}

const sorted = (assignment: Readonly<Record<string, readonly number[]>>) =>
  [...(assignment[topic] ?? [])].sort((a, b) => a - b)

/** Stable by the coordinator's word, and each member has said in its last GROUP_JOIN what the coordinator says. */
async function settled(groupId: string, ...running: Member[]): Promise<void> {
  await until('that the members say what the coordinator says', async () => {
    const described = await stableMembers(admin, groupId, running.length)
    if (typeof described === 'string') return false
    return running.every(({ joins }) => {
      const join = joins.at(-1)!
      const known = described.find(({ memberId }) => memberId === join.memberId)
      return known !== undefined && String(sorted(known.assignment)) === String(sorted(join.assignment))
    })
  })
  const all = running.flatMap(({ joins }) => sorted(joins.at(-1)!.assignment))
  expect(all.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5])
}

/** The generation of the next HEARTBEAT event, which the coordinator must have accepted, as it accepts no other. */
async function generationOf(member: Member): Promise<number> {
  const before = member.beats.length
  const beat = await until('its next HEARTBEAT', () => member.beats[before])
  const coordinator = await cluster.findGroupCoordinator({ groupId: beat.groupId })
  await coordinator.heartbeat(beat)
  const other = { ...beat, groupGenerationId: beat.groupGenerationId - 1 }
  await expect(coordinator.heartbeat(other)).rejects.toMatchObject({ type: 'ILLEGAL_GENERATION' })
  expect(beat.memberId).toBe(member.joins.at(-1)!.memberId)
  return beat.groupGenerationId
}

let sent = 0
async function send(): Promise<void> {
  const messages = [0, 1, 2, 3, 4, 5].map(partition => ({ partition, value: `${sent++}` }))
  await producer.send({ topic, messages })
}

describe.each(tiers)('%s', tier => {
  test('joins and stops: one GROUP_JOIN for each generation, and the true generation in every event', async () => {
    const groupId = `events-${tier}`
    const running: Member[] = []
    const check = async () => {
      await settled(groupId, ...running)
      await send()
      await until('that all is read', () => members.reduce((sum, { seen }) => sum + seen.length, 0) >= sent)
      const leaders = new Set<string>()
      for (const member of running) {
        const generation = await generationOf(member)
        const generations = member.reports.map(report => report.generation)
        expect(generations).toEqual([...new Set(generations)].sort((a, b) => a - b))
        expect(generations.at(-1)).toBe(generation)
        const said = member.joins.map(({ assignment }) => String(sorted(assignment)))
        const given = member.reports.map(({ assigned }) => String(sorted(assigned)))
        // A joiner's first rounds, which bring nothing yet, are one join to kafkajs.
        const first = given.findIndex(each => each !== '')
        expect(said.length).toBeGreaterThanOrEqual(given.length - first)
        expect(said).toEqual(given.slice(-said.length))
        const join = member.joins.at(-1)!
        expect(join.isLeader).toBe(join.leaderId === join.memberId)
        leaders.add(join.leaderId)
        await until('that its commits carry the generation', () => {
          const own = sorted(join.assignment)
          return own.every(partition => {
            const last = member.commits.findLast(commit => commit.partition === partition)
            return last?.generation === generation
          })
        })
      }
      expect(leaders.size).toBe(1)
    }
    running.push(await start(groupId, tier))
    await check()
    running.push(await start(groupId, tier))
    await check()
    running.push(await start(groupId, tier))
    await check()
    await running.shift()!.consumer.stop()
    await check()
    const seen = members.flatMap(member => member.seen)
    expect(seen).toHaveLength(sent)
    expect(new Set(seen).size).toBe(sent)
    expect(errors).toEqual([])
  })
})
