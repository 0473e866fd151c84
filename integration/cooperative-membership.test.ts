/**
 * Cooperative members come and go in every way: nothing is lost, nothing handled twice but what a kill leaves behind, no
 * partition has two owners, no more moves than balance asks for, no more rounds than the protocol needs.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { cooperative, errorsOf, expectExact, linesOf, step, tiers, wholeRounds } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

describe.each(tiers)('%s', tier => {
  beforeEach(async () => {
    // Long enough for any handler on any machine: who hands over in parts needs another round.
    const assigners = cooperative({ tier, drainTimeoutMs: 60_000 })
    group = await Group.start(kafka, { topics: { orders: 12 }, assigners, traffic: 300 })
  })

  test('a third member joins, one is killed, one stops: least moves, least rounds, every record once', async () => {
    const [a, b] = await group.add('a', 'b')
    await group.settled()

    const joined = await step(group, () => group.add('c'))
    expect(joined).toMatchObject({ moved: 4, bounced: [] })
    expect(wholeRounds(group, joined.generations).slice(2)).toEqual([])
    expect(group.ledger.duplicates()).toEqual([])

    const killed = await step(group, () => a!.kill())
    expect(killed).toMatchObject({ moved: 4, bounced: [] })
    expect(killed.generations).toHaveLength(1)
    // Handled but not committed by the dead member: at most the slice of each partition that it worked on.
    const after = group.ledger.duplicates().length

    const stopped = await step(group, () => b!.stop())
    expect(stopped).toMatchObject({ moved: 6, bounced: [] })
    expect(stopped.generations).toHaveLength(1)
    await expectExact(group)
    expect(group.ledger.duplicates()).toHaveLength(after)
  })

  test('a normal rebalance is silent: no error line, no REBALANCING, GROUP_JOIN once for each generation', async () => {
    const [a, b] = await group.add('a', 'b')
    await group.settled()
    const [c] = await group.add('c')
    await group.settled()
    await c!.stop()
    await group.settled()
    for (const member of [a!, b!, c!]) {
      expect(errorsOf(member)).toEqual([])
      expect(linesOf(member, 'tier-surfaced')).toEqual([])
      expect(member.rebalancing).toEqual([])
      expect(member.crashes).toEqual([])
      const generations = linesOf(member, 'assignment').map(line => line.fields.generation)
      expect(new Set(generations).size).toBe(generations.length)
    }
    for (const member of [a!, b!]) expect(member.joins.length).toBeGreaterThanOrEqual(3)
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('all members join at once, the leader stops, all others stop: every record once', async () => {
    await group.add('a', 'b', 'c', 'd')
    const { leader } = await group.settled()
    await leader.stop()
    await group.settled()
    leader.run()
    await group.settled()
    const [first, second] = group.running
    await Promise.all([first!.stop(), second!.stop()])
    await group.settled()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })
})
