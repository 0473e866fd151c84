/**
 * What goes wrong in a cooperative group: members that die at the worst moment, sleep through their session, are thrown
 * out, or hang. Nothing is lost, the group settles by itself, each partition is owned once.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import {
  cooperative,
  expectExact,
  generationsAfter,
  lastGeneration,
  linesOf,
  step,
  tiersOf,
  withFaults,
} from './support/cooperative'
import { expel } from './support/expel'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { now, sleep, until } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

const session = 3000
/** Records of one partition that a handler may have finished without their commit being through. */
const slice = 100

async function start(tier: string, more: object = {}): Promise<void> {
  group = await Group.start(kafka, {
    topics: { orders: 6 },
    assigners: cooperative({ tier }),
    traffic: 120,
    consumer: { sessionTimeout: session, rebalanceTimeout: 20_000 },
    ...more,
  })
}

describe.each(tiersOf('in-place'))('%s', tier => {
  test('the leader dies between JoinGroup and SyncGroup', async () => {
    await start(tier)
    const leaderDies = cooperative({ tier, interfere: { leaderDies: { members: 3 } } })
    await group.addWith('a', { assigners: leaderDies }, withFaults)
    await group.settled()
    const [b] = await group.add('b')
    await group.settled()
    await group.add('c')
    await group.member('a').host.exited
    await group.settled()
    await expectExact(group)
    expect(b!.crashes).toEqual([])
  })

  test.each([2, 3])('a member dies when it is about to join for the %ith time, between the rounds', async nth => {
    await start(tier)
    await group.add('a')
    await group.settled()
    const dies = cooperative({ tier, interfere: { diesAtJoin: { nth } } })
    const b = await group.addWith('b', { assigners: dies }, withFaults)
    await group.add('c').catch(() => {})
    await b.host.exited
    await group.settled()
    await expectExact(group)
  })

  test('a leader that takes longer than the session to plan: nobody is thrown out', async () => {
    await start(tier)
    const slow = cooperative({ tier, interfere: { slowLeader: { members: 3, ms: session + 1000 } } })
    await group.addWith('a', { assigners: slow }, withFaults)
    await group.settled()
    await group.add('b')
    await group.settled()
    const handled = () => group.ledger.handlings.filter(({ member }) => member === 'b').length
    const generation = lastGeneration(group)
    await group.add('c')
    // Both rounds plan slowly; meanwhile those that have partitions go on.
    await until('that c is a member', () => group.member('c').joins.length > 0)
    expect(handled()).toBeGreaterThan(20)
    await group.settled()
    expect(generationsAfter(group, generation).length).toBeLessThanOrEqual(3)
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('a member sleeps through its session: what it had is not handled by two at once', async () => {
    await start(tier)
    const [a] = await group.add('a', 'b')
    await group.settled()
    a!.pause()
    const frozenAt = now()
    await group.settled()
    a!.resume()
    await group.settled()
    await group.nothingLost()
    // A handler that was at work when the process froze goes on where it stopped. None may have begun after that.
    const others = group.ledger
      .overlaps()
      .filter(({ first, second }) => ![first, second].some(each => each.member === 'a' && each.start <= frozenAt))
    expect(others.slice(0, 3)).toEqual([])
    expect(group.ledger.duplicates().length).toBeLessThanOrEqual(slice)
    expect(linesOf(a!, 'partitions-lost').length).toBeGreaterThan(0)
  })

  test('a member that was thrown out comes back with its claims', async () => {
    await start(tier)
    const [a] = await group.add('a', 'b')
    await group.settled()
    // A backlog comes in full slices, and more than one may be through before the coordinator refuses the first commit.
    await until('that the backlog is handled', () => group.ledger.missing().length < slice / 2)
    const { memberId } = a!
    await expel(kafka, group.groupId, memberId!)
    await until('that it is another member', () => a!.memberId !== memberId)
    await group.settled()
    await expectExact(group)
    expect(group.ledger.duplicates().length).toBeLessThanOrEqual(slice)
    expect(a!.crashes).toEqual([])
  })

  test('a generation that the coordinator does not know: back with the same member id', async () => {
    await start(tier)
    const forged = cooperative({ tier, interfere: { illegalGeneration: { after: 20 } } })
    const a = await group.addWith('a', { assigners: forged }, withFaults)
    await group.add('b')
    await group.settled()
    const { memberId } = a
    await until('that it has lost its partitions', () => linesOf(a, 'partitions-lost').length > 0)
    await group.settled()
    expect(a.memberId).toBe(memberId)
    await expectExact(group)
    expect(group.ledger.duplicates().length).toBeLessThanOrEqual(slice)
  })

  test('a handler that takes longer than the session keeps its membership', async () => {
    await start(tier)
    const [a, b] = await group.add('a', 'b')
    await group.settled()
    const generation = lastGeneration(group)
    await a!.handlerDelay(session * 2)
    await until('that a handler of a has run so long', () =>
      group.ledger.handlings.some(({ member, start, end }) => member === 'a' && end && end - start > session * 2),
    )
    await a!.handlerDelay(0)
    await sleep(0)
    expect(generationsAfter(group, generation)).toEqual([])
    expect(b!.rebalancing).toEqual([])
    await group.settled()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('a handler that takes longer than maxPollIntervalMs: the member leaves by itself and comes back after', async () => {
    await start(tier, { assigners: cooperative({ tier, maxPollIntervalMs: 1500 }) })
    const [a] = await group.add('a', 'b')
    await group.settled()
    await a!.handlerDelay(session * 2)
    await until('that it has left', () => linesOf(a!, 'partitions-lost').length > 0)
    await until('that b has all', () => group.member('b').assignment.orders?.length === 6)
    await a!.handlerDelay(0)
    await until('that it is back', () => a!.assignment.orders?.length === 3)
    await group.settled()
    await group.nothingLost()
    // The one record that its handler was at when it left.
    expect(new Set(group.ledger.overlaps().map(({ first }) => first)).size).toBeLessThanOrEqual(1)
    expect(a!.crashes).toEqual([])
  })

  test('a slow handler in one revoked partition: the others are handed over without it, and it follows', async () => {
    await start(tier, { concurrency: 6 })
    await group.add('a')
    await group.settled()
    const a = group.member('a')
    await a.handlerDelay(1500)
    const joined = await step(group, () => group.add('b'))
    expect(joined.generations.length).toBeLessThanOrEqual(4)
    expect(joined.bounced).toEqual([])
    await a.handlerDelay(0)
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })
})
