/** The only broker is killed and comes back: the group finds together again, and nobody's partitions move. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { cooperative, expectExact, step, tiersOf } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { until } from './support/wait'

const tiers = tiersOf('surfaced')

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka({ brokerSessionMs: 3000 })
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

// With sessions that outlast the broker's start on a busy machine too.
test.each(tiers)('%s: the mapping is kept over a restart of the broker', async tier => {
  const consumer = { sessionTimeout: 30_000 }
  group = await Group.start(kafka, { topics: { orders: 12 }, assigners: cooperative({ tier }), consumer })
  await group.add('a', 'b', 'c')
  const before = await group.settled()
  await kafka.nodes[0]!.kill()
  await kafka.nodes[0]!.start()
  const after = await group.settled()
  expect(after.owners).toEqual(before.owners)
  await group.ledger.nothingLost()
  for (const { crashes } of group.running) expect(crashes).toEqual([])
  expect(await step(group, () => group.add('d'))).toMatchObject({ moved: 3, bounced: [] })
  await expectExact(group)
})

test.each(tiers)('%s: so it is over an outage in which kafkajs fails to start the consumers again', async tier => {
  const consumer = { sessionTimeout: 10_000 }
  group = await Group.start(kafka, { topics: { orders: 12 }, assigners: cooperative({ tier }), consumer })
  const members = await group.add('a', 'b', 'c')
  const before = await group.settled()
  await kafka.nodes[0]!.kill()
  await until('that each has crashed more than twice', () => members.every(({ crashes }) => crashes.length > 2))
  await kafka.nodes[0]!.start()
  // Until they are back the broker speaks of the group that it knew.
  await expectExact(group)
  expect((await group.settled()).owners).toEqual(before.owners)
})
