/**
 * Cooperative members come and go in every way: nothing is lost, nothing handled twice but what a kill leaves behind, no
 * partition has two owners, and no more moves than balance asks for. In both tiers.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

describe.each(['in-place', 'surfaced'])('%s', tier => {
  beforeEach(async () => {
    group = await Group.start(kafka, {
      topics: { orders: 12 },
      assigners: [{ name: 'cooperative-sticky', options: { tier } }],
      traffic: 300,
    })
  })

  test('two members, a third joins, one is killed, one stops', async () => {
    const [a, b] = await group.add('a', 'b')
    await group.settled()
    await group.add('c')
    expect((await group.settled()).moved).toBe(4)
    await a!.kill()
    expect((await group.settled()).moved).toBe(4)
    await b!.stop()
    expect((await group.settled()).moved).toBe(6)
    await group.nothingLost()
    expect(group.ledger.overlaps()).toEqual([])
    expect(group.ledger.needlessDuplicates()).toEqual([])
  })
})
