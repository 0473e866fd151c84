/**
 * A cooperative consumer over its life: stopped and run again, restarted by kafkajs after an error, paused, sought,
 * stopped while it joins, several in one process. And what it leaves behind when it ends: nothing.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { cooperative, expectExact, linesOf, step, tiers, withFaults } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { now, until } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

const groupIs = (state: string) =>
  until(`that the group is ${state}`, async () => {
    const [description] = (await group.admin.describeGroups([group.groupId])).groups
    return description?.state === state
  })

describe.each(tiers)('%s', tier => {
  beforeEach(async () => {
    group = await Group.start(kafka, { topics: { orders: 6 }, assigners: cooperative({ tier }), traffic: 120 })
  })

  test('stop() and run() again: others take over and give back, and nothing is handled twice', async () => {
    const [a] = await group.add('a', 'b')
    await group.settled()
    expect(await step(group, () => a!.stop())).toMatchObject({ moved: 3 })
    expect(await step(group, () => a!.run())).toMatchObject({ moved: 3 })
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('an error in the handler: the record is handled again, no other is', async () => {
    const [a, b] = await group.add('a', 'b')
    await group.settled()
    await a!.breakHandler(1)
    await until('that it has failed', () => a!.logs.some(({ message }) => message.includes('eachMessage')))
    await group.settled()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
    expect(b!.crashes).toEqual([])
  })

  test('a restart after a crash: the group shares anew, and nothing is lost or handled twice', async () => {
    const [a] = await group.add('a', 'b')
    await group.settled()
    await a!.breakHandler(40)
    await until('that kafkajs restarts the consumer', () => a!.crashes.some(({ restart }) => restart))
    await a!.breakHandler(0)
    const joins = a!.joins.length
    await until('that it has joined again', () => a!.joins.length > joins)
    await group.settled()
    expect(a!.assignment.orders).toHaveLength(3)
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('a crash for good: the member leaves at once', async () => {
    const [a] = await group.add('a', 'b')
    await group.settled()
    await a!.host.call('breakHandlerForGood', 'a')
    await until('that it has crashed', () => a!.crashes.some(({ restart }) => !restart))
    await until('that b has all', () => group.member('b').assignment.orders?.length === 6, { timeoutMs: 5000 })
    await expectExact(group)
  })

  test('pause, resume and seek', async () => {
    const [a] = await group.add('a', 'b')
    await group.settled()
    const [partition, other] = a!.assignment.orders!
    const handled = (each?: number) =>
      group.ledger.handlings.filter(({ member, ...at }) => member === 'a' && at.partition === each)
    const of = () => handled(partition)
    const handlesWhatIsNew = async () => {
      const ends = await group.admin.fetchTopicOffsets('orders')
      const { high } = ends.find(each => each.partition === other)!
      await until('that another one goes on', () => handled(other).some(({ offset }) => offset >= Number(high)))
    }
    await a!.host.call('pauseTopics', 'a', { topics: [{ topic: 'orders', partitions: [partition] }] })
    // A fetch that was under way may still bring records of it, and kafkajs hands them out before it fetches again.
    await handlesWhatIsNew()
    await handlesWhatIsNew()
    const paused = of().length
    await handlesWhatIsNew()
    expect(of()).toHaveLength(paused)
    await a!.host.call('resumeTopics', 'a', { topics: [{ topic: 'orders', partitions: [partition] }] })
    await until('that it goes on', () => of().length > paused)
    const sought = now()
    await a!.host.call('seek', 'a', { topic: 'orders', partition, offset: '0' })
    await until('that it begins anew', () => of().some(each => each.offset === 0 && each.start > sought))
    await group.nothingLost()
    expect(group.ledger.overlaps()).toEqual([])
  })

  test('disconnect: the group is empty, and nothing of ours is left in the process', async () => {
    const [a] = await group.add('a')
    await group.settled()
    await a!.disconnect()
    await groupIs('Empty')
    const { kinds } = await until('that the sockets are closed', async () => {
      const resources = await a!.resources()
      return resources.kinds.TCPSocketWrap === undefined && resources
    })
    expect(kinds.Timeout ?? 0).toBe(0)
  })

  test('two consumers of the group on one Kafka instance', async () => {
    await group.addTogether(['a', 'b'], { sharedKafka: true })
    await group.settled()
    await group.add('c')
    expect((await group.settled()).moved).toBe(2)
    await group.member('a').stop()
    await group.settled()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })
})

test.each(['stop', 'disconnect'] as const)(
  '%s() while the first join is parked: the member is gone at once',
  async end => {
    group = await Group.start(kafka, { topics: { orders: 6 }, assigners: cooperative(), traffic: 120 })
    // The leader plans for ten seconds as soon as there are two: the joiner waits in SyncGroup, a third in JoinGroup.
    await group.addWith(
      'a',
      { assigners: cooperative({ interfere: { slowLeader: { members: 2, ms: 10_000 } } }) },
      withFaults,
    )
    await group.settled()
    const [b] = await group.add('b')
    await until('that b is a member', async () => {
      const [description] = (await group.admin.describeGroups([group.groupId])).groups
      return description?.members.length === 2
    })
    await b![end]()
    await until('that b is no member', async () => {
      const [description] = (await group.admin.describeGroups([group.groupId])).groups
      return description?.members.length === 1
    })
    expect(b!.crashes.filter(({ restart }) => restart)).toEqual([])
    await group.settled()
    await expectExact(group)
  },
)

test('a listener that throws is the user’s affair', async () => {
  group = await Group.start(kafka, {
    topics: { orders: 6 },
    assigners: cooperative(),
    traffic: 120,
    listenersThrow: true,
  })
  const [a] = await group.add('a')
  await group.settled()
  await group.add('b')
  await until('that a has given up three', () => a!.assignment.orders?.length === 3)
  expect(linesOf(a!, 'listener-failed')).toHaveLength(1)
  expect(a!.crashes).toEqual([])
  await expectExact(group)
})
