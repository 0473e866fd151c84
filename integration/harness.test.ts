/**
 * The harness itself, with kafkajs' own round robin: what the other files conclude from it must be true.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'

let kafka: RunningKafka

beforeAll(async () => {
  kafka = await startKafka()
})

afterAll(() => kafka?.remove())

test('members join, are killed, paused, continued, stopped and run again, and every record is handled', async () => {
  const group = await Group.start(kafka, { topics: { orders: 12 }, assigners: ['kafkajs-roundrobin'] })
  try {
    const [a, b] = await group.add('a', 'b')
    await group.settled()
    const [c] = await group.add('c')
    expect((await group.settled()).protocol).toBe('RoundRobinAssigner')

    await a!.kill()
    expect([...(await group.settled()).owners.values()]).not.toContain('a')
    b!.pause()
    expect(new Set((await group.settled()).owners.values())).toEqual(new Set(['c']))
    b!.resume()
    await group.settled()
    await c!.stop()
    await group.settled()
    c!.run()
    await group.settled()
    await b!.terminate()
    await group.settled()
    await group.nothingLost()
    expect(group.ledger.produced).toBeGreaterThan(100)
    expect(group.ledger.needlessDuplicates()).toEqual([])
  } finally {
    await group.close()
  }
})
