/**
 * Members that read different topics, and topics that change: the leader plans for every member's own subscription,
 * whatever it reads itself.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Group, type GroupOptions, type Settled } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { until } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

async function start(options: Partial<GroupOptions> & Pick<GroupOptions, 'topics'>): Promise<void> {
  group = await Group.start(kafka, { assigners: ['sticky'], ...options })
}

/** How many partitions of each topic each member has, as "a: orders 4, audit 2". */
function shares({ owners }: Settled): Record<string, Record<string, number>> {
  const shares: Record<string, Record<string, number>> = {}
  for (const [key, owner] of owners) {
    const topic = key.slice(0, key.lastIndexOf('-'))
    const share = (shares[owner] ??= {})
    share[topic] = (share[topic] ?? 0) + 1
  }
  return shares
}

test('B03: two members with one topic each get their own topic, whoever leads', async () => {
  await start({ topics: { 'b03-a': 1, 'b03-b': 1 } })
  const a = await group.addWith('a', { topics: ['b03-a'] })
  await group.settled()
  const b = await group.addWith('b', { topics: ['b03-b'] })
  expect(shares(await group.settled())).toEqual({ a: { 'b03-a': 1 }, b: { 'b03-b': 1 } })
  // And the other way round: a comes back as a follower of b.
  await a.stop()
  await until('that b is alone', async () => b.leader)
  a.run()
  const { leader, ...settled } = await group.settled()
  expect(leader.name).toBe('b')
  expect(shares({ leader, ...settled })).toEqual({ a: { 'b03-a': 1 }, b: { 'b03-b': 1 } })
  await group.nothingLost()
})

test('B04: three members of one group, each with its own topic, all consume', async () => {
  await start({ topics: { 'b04-1': 1, 'b04-2': 1, 'b04-3': 1 } })
  for (const n of [1, 2, 3]) await group.addWith(`m${n}`, { topics: [`b04-${n}`] })
  expect(shares(await group.settled())).toEqual({ m1: { 'b04-1': 1 }, m2: { 'b04-2': 1 }, m3: { 'b04-3': 1 } })
  await group.nothingLost()
})

test('B63: 32 partitions each for three members whose leader reads one of the three topics', async () => {
  await start({ topics: { BAR0: 32, BAR1: 32, BAR2: 32 }, traffic: 200 })
  await group.addWith('c0', { topics: ['BAR0'] })
  await group.settled()
  await group.addWith('c1', { topics: ['BAR1'] })
  await group.addWith('c2', { topics: ['BAR2'] })
  expect(shares(await group.settled())).toEqual({ c0: { BAR0: 32 }, c1: { BAR1: 32 }, c2: { BAR2: 32 } })
  await group.nothingLost()
})

test('a leader that reads neither of two topics gives them to those who do, and each their own share', async () => {
  await start({ topics: { own: 2, left: 6, right: 6 } })
  await group.addWith('leader', { topics: ['own'] })
  await group.settled()
  await group.addWith('l', { topics: ['left'] })
  await group.addWith('both', { topics: ['left', 'right'] })
  await group.addWith('r', { topics: ['right'] })
  const settled = await group.settled()
  expect(settled.leader.name).toBe('leader')
  const { leader, l, both, r } = shares(settled)
  expect(leader).toEqual({ own: 2 })
  expect(l).toEqual({ left: 4 })
  expect(r).toEqual({ right: 4 })
  expect(both).toEqual({ left: 2, right: 2 })
  await group.nothingLost()
})

test('a topic that the leader reads grows from 6 to 9 partitions: the new ones are shared, no old one moves', async () => {
  await start({ topics: { grows: 6 }, consumer: { metadataMaxAge: 2000 } })
  await group.add('a', 'b', 'c')
  const before = await group.settled()
  await group.grow('grows', 9)
  const after = await group.settled()
  for (const [key, owner] of before.owners) expect(after.owners.get(key)).toBe(owner)
  expect(Object.values(shares(after))).toEqual([{ grows: 3 }, { grows: 3 }, { grows: 3 }])
  await group.nothingLost()
})

test('a topic that the leader does not read grows: its readers get the new partitions', async () => {
  await start({ topics: { 'of-leader': 2, unread: 6 }, consumer: { metadataMaxAge: 2000 } })
  await group.addWith('leader', { topics: ['of-leader'] })
  await group.settled()
  await group.addWith('a', { topics: ['unread'] })
  await group.addWith('b', { topics: ['unread'] })
  const before = await group.settled()
  expect(before.leader.name).toBe('leader')
  await group.grow('unread', 9)
  const after = await group.settled()
  for (const [key, owner] of before.owners) expect(after.owners.get(key)).toBe(owner)
  const { a, b } = shares(after)
  expect([a!.unread, b!.unread].sort()).toEqual([4, 5])
  await group.nothingLost()
})

test('a topic is deleted: the group goes on with the other one, and new members join it', async () => {
  await start({ topics: { stays: 6, goes: 6 }, consumer: { metadataMaxAge: 2000 } })
  const members = await group.add('a', 'b')
  await group.settled()
  await group.deleteTopic('goes')
  await until('that nobody is assigned the topic', () => members.every(({ assignment }) => !('goes' in assignment)))
  await group.settled()
  // kafkajs' subscribe() itself refuses a topic that does not exist, so a new member has to leave it out.
  await group.addWith('c', { topics: ['stays'] })
  expect(shares(await group.settled())).toEqual({ a: { stays: 2 }, b: { stays: 2 }, c: { stays: 2 } })
  await group.nothingLost()
})

test('a member that sends garbage as its metadata gets nothing, the others everything, and the log names it', async () => {
  await start({ topics: { clean: 6 } })
  await group.add('a', 'b')
  const before = await group.settled()
  await group.addWith('g', { assigners: ['garbage'] })
  const after = await group.settled()
  expect(shares(after)).toEqual({ a: { clean: 3 }, b: { clean: 3 } })
  expect([...after.owners]).toEqual(expect.arrayContaining([...before.owners]))
  const { memberId } = group.member('g')
  const warnings = after.leader.logs.filter(({ level }) => level === 'WARN')
  const about = warnings.filter(({ message, fields }) => `${message} ${JSON.stringify(fields)}`.includes(memberId!))
  expect(about).toHaveLength(1)
  await group.nothingLost()
})
