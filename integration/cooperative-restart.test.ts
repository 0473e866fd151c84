/** The only broker is killed and comes back: the group finds together again, and nobody's partitions move. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { cooperative, expectExact, step, tiers } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

test.each(tiers)('%s: the mapping is kept over a restart of the broker', async tier => {
  group = await Group.start(kafka, { topics: { orders: 12 }, assigners: cooperative({ tier }) })
  await group.add('a', 'b', 'c')
  const before = await group.settled()
  await kafka.nodes[0]!.kill()
  await kafka.nodes[0]!.start()
  const after = await group.settled()
  expect(after.owners).toEqual(before.owners)
  await group.ledger.nothingLost()
  expect(await step(group, () => group.add('d'))).toMatchObject({ moved: 3, bounced: [] })
  await expectExact(group)
})
