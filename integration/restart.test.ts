/** The only broker is killed and comes back: the group finds together again, and nobody's partitions move. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { now } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka({ brokerSessionMs: 3000 })
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

test('the mapping is kept over a restart of the broker', async () => {
  // A machine that is busy with the broker's start must not let the sessions of its members run out.
  const consumer = { sessionTimeout: 10_000 }
  group = await Group.start(kafka, { topics: { orders: 12 }, assigners: ['sticky'], consumer })
  await group.add('a', 'b', 'c')
  const before = await group.settled()
  await kafka.nodes[0]!.kill()
  await kafka.nodes[0]!.start()
  const restarted = now()
  const after = await group.settled()
  expect(after.owners).toEqual(before.owners)
  // And the group works: traffic went on, and a new member moves what it has to.
  await group.ledger.nothingLost()
  await group.add('d')
  expect((await group.settled()).rebalance).toMatchObject({ members: 4, moved: 3, minimumMoves: 3 })
  await group.nothingLost()
  expect(group.ledger.handlings.some(({ start }) => start > restarted)).toBe(true)
})
