/** The user's callbacks of a cooperative member: which, when, in what order, and what one that misbehaves does. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { cooperative, expectExact, linesOf, tiers } from './support/cooperative'
import { expel } from './support/expel'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import type { Member } from './support/member'
import { until } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

const callbacks = ['onPartitionsRevoked', 'onPartitionsAssigned', 'onPartitionsLost']

interface Call {
  callback: string
  partitions: number[]
  generation: number
  start: number
  end: number
}

/** Each call with its end; they never overlap. */
function callsOf(member: Member): Call[] {
  const calls: Call[] = []
  for (const { callback, phase, at, args } of member.callbacks) {
    if (phase === 'start') {
      const [event] = args as [{ partitions: Record<string, number[]>; generation: number; memberId: string }]
      expect(event).toMatchObject({ groupId: group.groupId, memberId: expect.stringContaining(member.name) })
      const partitions = event.partitions.orders ?? []
      calls.push({ callback, partitions, generation: event.generation, start: at, end: Number.POSITIVE_INFINITY })
    } else {
      expect(calls.at(-1)!.callback).toBe(callback)
      calls.at(-1)!.end = at
    }
  }
  return calls
}

async function start(tier: string, delays: Record<string, number> = {}): Promise<void> {
  group = await Group.start(kafka, {
    topics: { orders: 6 },
    assigners: cooperative({ tier }, { observe: callbacks, delays }),
    traffic: 120,
  })
}

describe.each(tiers)('%s', tier => {
  test('assigned before the first record, revoked before the next owner, both only of what changes', async () => {
    await start(tier, { onPartitionsAssigned: 200, onPartitionsRevoked: 200 })
    const [a] = await group.add('a')
    await group.settled()
    await until('that a handles all', () => new Set(group.ledger.handlings.map(each => each.partition)).size === 6)
    const [b] = await group.add('b')
    await until('that b has three', () => b!.assignment.orders?.length === 3)
    await until('that b handles something', () => group.ledger.handlings.some(({ member }) => member === 'b'))

    const [assigned, revoked, ...others] = callsOf(a!)
    expect(others).toEqual([])
    expect(assigned).toMatchObject({ callback: 'onPartitionsAssigned', partitions: [0, 1, 2, 3, 4, 5] })
    const gained = b!.assignment.orders!
    expect(revoked).toMatchObject({ callback: 'onPartitionsRevoked', partitions: gained })
    expect(callsOf(b!)).toMatchObject([{ callback: 'onPartitionsAssigned', partitions: gained }])

    const first = (member: string) =>
      Math.min(...group.ledger.handlings.filter(each => each.member === member).map(each => each.start))
    expect(first('a')).toBeGreaterThan(assigned!.end)
    expect(first('b')).toBeGreaterThan(callsOf(b!)[0]!.end)
    // The old owner has been told, and has answered, before the new one hears of it.
    expect(callsOf(b!)[0]!.start).toBeGreaterThan(revoked!.end)
    const last = Math.max(
      ...group.ledger.handlings
        .filter(each => each.member === 'a' && gained.includes(each.partition))
        .map(each => each.end ?? 0),
    )
    expect(revoked!.start).toBeGreaterThan(last)
    await expectExact(group)
  })

  test('stop(): all that is held is revoked; nothing is lost', async () => {
    await start(tier)
    const [a] = await group.add('a', 'b')
    await group.settled()
    const held = a!.assignment.orders
    await a!.stop()
    const revoked = callsOf(a!).filter(({ callback }) => callback === 'onPartitionsRevoked')
    expect(revoked.at(-1)).toMatchObject({ partitions: held })
    expect(callsOf(a!).filter(({ callback }) => callback === 'onPartitionsLost')).toEqual([])
    await group.settled()
    await expectExact(group)
  })

  test('thrown out: what was held is lost, and assigned anew', async () => {
    await start(tier)
    const [a] = await group.add('a', 'b')
    await group.settled()
    const held = a!.assignment.orders
    await expel(kafka, group.groupId, a!.memberId!)
    await until('that it is told', () => callsOf(a!).some(({ callback }) => callback === 'onPartitionsLost'))
    await group.settled()
    const calls = callsOf(a!)
    const lost = calls.findIndex(({ callback }) => callback === 'onPartitionsLost')
    expect(calls[lost]).toMatchObject({ partitions: held })
    expect(
      calls
        .slice(lost + 1)
        .flatMap(({ partitions }) => partitions)
        .sort(),
    ).toEqual(a!.assignment.orders)
    await group.nothingLost()
  })

  test('a callback that does not return in time is reported, and the group goes on', async () => {
    await start(tier, { onPartitionsRevoked: 60_000 })
    const [a] = await group.add('a')
    await group.settled()
    await group.add('b')
    await group.settled()
    expect(linesOf(a!, 'callback-failed')).toHaveLength(1)
    await expectExact(group)
  })
})
