/**
 * Groups of this package's consumers and Kafka's own Java consumers, with either of them leading: the shares that Kafka
 * documents, no more moves than necessary, and every record handled.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { completeOwnership } from './support/broker-view'
import { tiersOf } from './support/cooperative'
import { Group, type Settled } from './support/group'
import { javaMember, javaMissing } from './support/java-member'
import { type RunningKafka, startKafka } from './support/kafka'
import { partitionKey } from './support/ledger'
import type { HostOptions, Member, MemberConfig } from './support/member'
import { until } from './support/wait'

type Kind = 'ours' | 'java'
const whoLeads: [Kind, Kind][] = [
  ['ours', 'java'],
  ['java', 'ours'],
]

/** In a group that the broker assigns, times are the broker's; its own would make a test wait for a minute. */
const properties = {
  'group.consumer.session.timeout.ms': '6000',
  'group.consumer.min.session.timeout.ms': '6000',
  'group.consumer.heartbeat.interval.ms': '500',
  'group.consumer.min.heartbeat.interval.ms': '500',
}

let kafka: RunningKafka
let java: HostOptions
let group: Group

const add = (name: string, kind: Kind, changes: Partial<MemberConfig> = {}): Promise<Member> =>
  group.addWith(name, changes, kind === 'java' ? java : {})

async function everyRecordOnce(): Promise<void> {
  await group.nothingLost()
  expect(group.ledger.needlessDuplicates()).toEqual([])
  expect(group.ledger.overlaps()).toEqual([])
}

const withJava = javaMissing ? describe.skip : describe

withJava(`beside Java members${javaMissing ? ` (${javaMissing})` : ''}`, () => {
  beforeAll(async () => {
    ;[kafka, java] = await Promise.all([startKafka({ properties }), javaMember()])
  })
  afterAll(() => kafka?.remove())
  afterEach(() => group?.close())

  describe.each(whoLeads)('%s leads, %s follows', (leading, following) => {
    test.each([
      ['range', range],
      ['roundrobin', roundRobin],
    ] as const)('%s: the shares that Kafka documents, also when subscriptions differ', async (strategy, shares) => {
      group = await Group.start(kafka, { topics: { audit: 5, orders: 7 }, assigners: [strategy] })
      const leader = await add('first', leading)
      await group.settled()
      await add('second', following)
      await add('third', following, { topics: ['orders'] })
      const settled = await group.settled()
      expect([settled.protocol, settled.leader.name]).toEqual([strategy, leader.name])
      expect(settled.owners).toEqual(shares(group.running, { audit: 5, orders: 7 }))
      await everyRecordOnce()
    })

    test('sticky: members come and go with the fewest moves', async () => {
      group = await Group.start(kafka, { topics: { events: 12 }, assigners: ['sticky'] })
      await comeAndGo(leading, following)
    })

    test.each(tiersOf('in-place'))('cooperative-sticky, %s: members come and go with the fewest moves', async tier => {
      const assigners = [{ name: 'cooperative-sticky', options: { tier } }]
      group = await Group.start(kafka, { topics: { events: 12 }, assigners })
      await comeAndGo(leading, following)
    })
  })

  describe.each(['sticky', 'cooperative-sticky'])('a group that the broker assigns (KIP-848), ours is %s', strategy => {
    const topics = { metrics: 6 }
    const kip848 = { properties: { 'group.protocol': 'consumer' } }

    test('a Java member of the new protocol joins after ours, and leaves again', async () => {
      const assigners = [{ name: strategy, observe: ['onPartitionsRevoked', 'onPartitionsLost'] }]
      group = await Group.start(kafka, { topics, assigners })
      const [ours] = await group.add('ours')
      await group.settled()
      const newcomer = await add('java', 'java', kip848)
      await sharedBy(ours!, newcomer)
      expect(ours!.leader).toBeFalsy()
      // Incrementally where it can: only what goes to the other.
      if (strategy === 'cooperative-sticky') expect(takenFrom(ours!)).toEqual({ onPartitionsRevoked: 3 })
      await newcomer.stop()
      // Without a member of the new protocol the broker makes it a classic group again, and a member leads it.
      expect((await group.settled()).leader.name).toBe('ours')
      await everyRecordOnce()
    })

    test('ours joins after Java members of the new protocol, one of which is killed', async () => {
      group = await Group.start(kafka, { topics, assigners: [strategy] })
      const first = await add('java-1', 'java', kip848)
      const second = await add('java-2', 'java', kip848)
      await sharedBy(first, second)
      const [ours] = await group.add('ours')
      await sharedBy(first, second, ours!)
      await second.kill()
      await sharedBy(first, ours!)
      expect(ours!.crashes).toEqual([])
      await everyRecordOnce()
    })
  })
})

/**
 * Waits until the members share all partitions evenly, each owned once, by the members' word: kafkajs' admin takes a
 * group with members of the new protocol for dead.
 */
async function sharedBy(...members: Member[]): Promise<void> {
  const names = members.map(({ name }) => name).join(', ')
  let obstacle = ''
  await until(
    `that ${names} share every partition`,
    async () => {
      const owners = await completeOwnership(group.admin, members[0]!.config.topics, members)
      const sizes = members.map(({ assignment }) => Object.values(assignment).flat().length)
      obstacle = typeof owners === 'string' ? owners : `they have ${sizes}`
      return typeof owners !== 'string' && Math.max(...sizes) - Math.min(...sizes) <= 1
    },
    { explain: () => `${obstacle}\n${group.describe()}` },
  )
}

/** Partitions that its callbacks were told, by callback. */
function takenFrom(member: Member): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { callback, phase, args } of member.callbacks) {
    if (phase !== 'start') continue
    const [{ partitions }] = args as [{ partitions: Record<string, number[]> }]
    sums[callback] = (sums[callback] ?? 0) + Object.values(partitions).flat().length
  }
  return sums
}

/** Two members become four and two again: by a stop and by a kill. The first one leads all the time. */
async function comeAndGo(leading: Kind, following: Kind): Promise<void> {
  const leader = await add('first', leading)
  await group.settled()
  await add('second', following)
  expectMoved(await group.settled(), leader, 6)
  const third = await add('third', following)
  expectMoved(await group.settled(), leader, 4)
  const fourth = await add('fourth', leading)
  expectMoved(await group.settled(), leader, 3)
  await third.stop()
  expectMoved(await group.settled(), leader, 3)
  await fourth.kill()
  expectMoved(await group.settled(), leader, 4)
  await everyRecordOnce()
}

function expectMoved(settled: Settled, leader: Member, moved: number): void {
  expect({ leader: settled.leader.name, moved: settled.moved }).toEqual({ leader: leader.name, moved })
}

/** Kafka's range: per topic, consecutive partitions for its subscribers by member id, the first ones one more. */
function range(members: Member[], topics: Record<string, number>): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [topic, count] of Object.entries(topics)) {
    const subscribers = byId(members).filter(({ config }) => config.topics.includes(topic))
    const [each, extra] = [Math.floor(count / subscribers.length), count % subscribers.length]
    let partition = 0
    subscribers.forEach(({ name }, place) => {
      const end = partition + each + (place < extra ? 1 : 0)
      while (partition < end) owners.set(partitionKey({ topic, partition: partition++ }), name)
    })
  }
  return owners
}

/** Kafka's round robin: all partitions in turn to the members by id, past those that do not subscribe the topic. */
function roundRobin(members: Member[], topics: Record<string, number>): Map<string, string> {
  const owners = new Map<string, string>()
  const ring = byId(members)
  let turn = 0
  for (const [topic, count] of Object.entries(topics))
    for (let partition = 0; partition < count; partition++) {
      while (!ring[turn % ring.length]!.config.topics.includes(topic)) turn++
      owners.set(partitionKey({ topic, partition }), ring[turn++ % ring.length]!.name)
    }
  return owners
}

const byId = (members: Member[]): Member[] => [...members].sort((a, b) => (a.memberId! < b.memberId! ? -1 : 1))
