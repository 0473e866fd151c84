/**
 * Members come and go in every way, one at a time: each partition keeps its owner unless balance forbids it, the
 * leader's log line says how many moved, and every record is handled.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Group, type Settled } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import type { Member } from './support/member'

const partitions = 12
let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())

beforeEach(async () => {
  group = await Group.start(kafka, { topics: { orders: partitions }, assigners: ['sticky'] })
})
afterEach(() => group?.close())

/** One rebalance of `members`, which moved so many partitions: by the log, by the owners, and as few as possible. */
function expectMoved({ rebalance, moved }: Settled, count: number, members: number): void {
  expect(rebalance).toMatchObject({
    event: 'rebalance',
    groupId: group.groupId,
    strategy: 'sticky',
    members,
    partitions,
  })
  expect(rebalance).toMatchObject({ moved: count, kept: partitions - count, minimumMoves: count })
  expect(moved).toBe(count)
}

/** What was committed is not handled again, and no partition is handled by two at once. */
async function expectEveryRecordOnce(): Promise<void> {
  await group.nothingLost()
  expect(group.ledger.needlessDuplicates()).toEqual([])
  expect(group.ledger.overlaps()).toEqual([])
}

test('a group grows from one member to three', async () => {
  await group.add('a')
  expectMoved(await group.settled(), 12, 1)
  await group.add('b')
  expectMoved(await group.settled(), 6, 2)
  await group.add('c')
  expectMoved(await group.settled(), 4, 3)
  await expectEveryRecordOnce()
})

test('the leader is killed: only its partitions move', async () => {
  await group.add('a', 'b', 'c')
  const { leader, owners } = await group.settled()
  await leader.kill()
  const after = await group.settled()
  expectMoved(after, 4, 2)
  for (const [partition, owner] of owners) if (owner !== leader.name) expect(after.owners.get(partition)).toBe(owner)
  await expectEveryRecordOnce()
})

test('a follower is killed: only its partitions move', async () => {
  await group.add('a', 'b', 'c')
  const { leader } = await group.settled()
  const follower = group.running.find(member => member !== leader)!
  await follower.kill()
  expectMoved(await group.settled(), 4, 2)
  await expectEveryRecordOnce()
})

test('a member joins while another dies: it takes over from the dead one, the others keep theirs', async () => {
  const [a] = await group.add('a', 'b', 'c')
  const before = await group.settled()
  await a!.kill()
  await group.add('d')
  const after = await group.settled()
  for (const [key, owner] of before.owners) expect(after.owners.get(key)).toBe(owner === 'a' ? 'd' : owner)
  await expectEveryRecordOnce()
})

test('a member leaves and comes back: it gets four partitions, and only those move', async () => {
  const [a] = await group.add('a', 'b', 'c')
  await group.settled()
  await a!.stop()
  expectMoved(await group.settled(), 4, 2)
  a!.run()
  expectMoved(await group.settled(), 4, 3)
  await expectEveryRecordOnce()
})

test('SIGTERM: the member hands over at once, without waiting for its session to end', async () => {
  const [a] = await group.add('a', 'b')
  await group.settled()
  await a!.terminate()
  expectMoved(await group.settled(), 6, 1)
  await expectEveryRecordOnce()
  // It has ended its handlers and committed before it left.
  expect(group.ledger.duplicates().filter(([first]) => first!.member === 'a')).toEqual([])
})

test('a process is stopped for longer than its session, then continued', async () => {
  const [a, b] = await group.add('a', 'b', 'c')
  await group.settled()
  const victim = a!.leader ? b! : a!
  victim.pause()
  expectMoved(await group.settled(), 4, 2)
  victim.resume()
  // What it believes to own is two generations old, and loses against the claims of those who took over.
  const back = await group.settled()
  expect(back.moved).toBe(4)
  expect(back.rebalance).toMatchObject({ members: 3, moved: 4, minimumMoves: 4 })
  await group.nothingLost()
  // While it was stopped it could not know: the records in its hands at that moment are handled by two.
  const zombies = group.ledger
    .overlaps()
    .filter(({ first, second }) => ![first.member, second.member].includes(victim.name))
  expect(zombies).toEqual([])
})

test('two consumers in one process know what each of them owns', async () => {
  await group.addTogether(['a', 'b'])
  await group.settled()
  await group.add('c')
  expectMoved(await group.settled(), 4, 3)
  await group.member('c').kill()
  expectMoved(await group.settled(), 4, 2)
  await expectEveryRecordOnce()
})

/** A group of its own on a topic of two partitions. */
async function startPair(...names: string[]): Promise<Member[]> {
  await group.close()
  group = await Group.start(kafka, { topics: { pair: 2 }, assigners: ['sticky'] })
  return group.add(...names)
}

test('B18: stop() and run() bring a member back with claims that are out of date', async () => {
  const [c1] = await startPair('c1', 'c2')
  await group.settled()
  await c1!.stop()
  expect(new Set((await group.settled()).owners.values())).toEqual(new Set(['c2']))
  c1!.run()
  // Whatever c1 had before: the newer claims of c2 count, and it gives up its highest partition.
  const { owners } = await group.settled()
  expect(owners).toEqual(
    new Map([
      ['pair-1', 'c1'],
      ['pair-0', 'c2'],
    ]),
  )
  expect(group.ledger.overlaps()).toEqual([])
})

test('B65: a member without partitions knows that it has none, and gets one when another leaves', async () => {
  const members = await startPair('c1', 'c2', 'c3')
  const { owners } = await group.settled()
  const idle = members.find(({ name }) => ![...owners.values()].includes(name))!
  expect(idle.joins.at(-1)!.assignment).toEqual({})
  const other = members.find(member => member !== idle)!
  await other.stop()
  const after = await group.settled()
  expect([...after.owners.values()].sort()).toEqual(members.filter(member => member !== other).map(({ name }) => name))
  for (const [key, owner] of owners) expect(after.owners.get(key)).toBe(owner === other.name ? idle.name : owner)
})

test('B71: the claims of a member count under the id that the broker gives it in the second step of its join', async () => {
  const [a] = await group.add('a')
  await group.settled()
  const before = a!.memberId
  const rebalances = group.rebalances().length
  await a!.stop()
  a!.run()
  expectMoved(await group.settled(), 0, 1)
  expect(a!.memberId).not.toBe(before)
  expect(group.rebalances()).toHaveLength(rebalances + 1)
})
