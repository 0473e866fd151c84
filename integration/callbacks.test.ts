/**
 * What an eager member tells its user: before it joins, that everything is given up; after, what it has; with no record
 * in between. A callback that takes its time is waited for, one that never ends is not waited for ever.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import type { Member } from './support/member'
import { until } from './support/wait'

const names = ['onPartitionsRevoked', 'onPartitionsAssigned', 'onPartitionsLost'] as const
let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

interface Told {
  memberId: string
  generation: number
  partitions: Record<string, number[]>
}

const told = (member: Member, callback: (typeof names)[number]) =>
  member.callbacks
    .filter(each => each.callback === callback && each.phase === 'start')
    .map(({ args }) => args[0] as unknown as Told)

/** Times at which a member had nothing: from the start of a callback that takes to the end of one that gives. */
function pauses(member: Member): { from: number; to: number }[] {
  const pauses: { from: number; to: number }[] = []
  let from = 0
  for (const { callback, phase, at } of member.callbacks)
    if (callback === 'onPartitionsAssigned') {
      if (phase === 'end') pauses.push({ from, to: at })
    } else if (phase === 'start') from = at
  return pauses
}

test('onPartitionsRevoked comes after the last record, onPartitionsAssigned before the first, and both are awaited', async () => {
  const assigner = {
    name: 'sticky',
    observe: [...names],
    delays: { onPartitionsRevoked: 300, onPartitionsAssigned: 300 },
  }
  group = await Group.start(kafka, { topics: { orders: 6 }, assigners: [assigner] })
  const [a] = await group.add('a')
  await group.settled()
  const [b] = await group.add('b')
  await group.settled()
  await b!.stop()
  await group.settled()
  await group.nothingLost()

  for (const member of [a!, b!]) {
    const idle = pauses(member)
    expect(idle.length).toBeGreaterThan(0)
    const handlings = group.ledger.handlings.filter(each => each.member === member.name)
    for (const { from, to } of idle)
      expect(handlings.filter(({ start, end }) => start < to && (end === undefined || end > from))).toEqual([])
  }
  // All that it had, in the generation in which it had got it; then all that it has.
  const assigned = told(a!, 'onPartitionsAssigned')
  const revoked = told(a!, 'onPartitionsRevoked')
  expect(assigned.map(({ partitions }) => partitions.orders!.length)).toEqual([6, 3, 6])
  expect(revoked.map(({ partitions, generation }) => [partitions, generation])).toEqual(
    assigned.slice(0, 2).map(({ partitions, generation }) => [partitions, generation]),
  )
  expect(told(b!, 'onPartitionsRevoked')).toEqual(told(b!, 'onPartitionsAssigned'))
  for (const member of [a!, b!]) expect(told(member, 'onPartitionsLost')).toEqual([])
  expect(group.ledger.needlessDuplicates()).toEqual([])
})

test('onPartitionsLost comes where a member was away for too long', async () => {
  group = await Group.start(kafka, { topics: { orders: 6 }, assigners: [{ name: 'sticky', observe: [...names] }] })
  const [a, b] = await group.add('a', 'b')
  await group.settled()
  const had = told(a!, 'onPartitionsAssigned').at(-1)!
  const revokedBefore = told(a!, 'onPartitionsRevoked').length
  a!.pause()
  await until('that b has everything', () => b!.assignment.orders?.length === 6)
  a!.resume()
  await group.settled()
  expect(told(a!, 'onPartitionsLost')).toEqual([had])
  expect(told(a!, 'onPartitionsRevoked')).toHaveLength(revokedBefore)
  await group.nothingLost()
})

test('a callback that never ends holds the group up for half a session at most', async () => {
  const hangs = { name: 'sticky', observe: ['onPartitionsAssigned'], delays: { onPartitionsAssigned: 3_600_000 } }
  group = await Group.start(kafka, { topics: { orders: 6 }, assigners: ['sticky'] })
  await group.add('a')
  await group.settled()
  const b = await group.addWith('b', { assigners: [hangs] })
  await group.settled()
  const line = b.logs.find(({ fields }) => fields.event === 'callback-failed')!
  expect(line).toMatchObject({ level: 'ERROR', fields: { callback: 'onPartitionsAssigned', failures: 1 } })
  expect(line.message).toMatch(/did not finish within 3000 ms/)
  await group.nothingLost()
})
