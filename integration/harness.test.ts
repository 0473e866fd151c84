/** The harness itself: what the other files conclude from it must be true. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { stableMembers } from './support/broker-view'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { until } from './support/wait'

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

test('a group is settled only when its leader has reported that it leads', async () => {
  const group = await Group.start(kafka, { topics: { left: 2, right: 2 }, assigners: ['sticky'], traffic: 0 })
  try {
    const a = await group.addWith('a', { topics: ['left'] })
    await group.settled()
    const b = await group.addWith('b', { topics: ['right'] })
    expect((await group.settled()).leader).toBe(a)
    // Nothing of b's assignment changes when a leaves: only the report of its join says that it leads.
    const held: (() => void)[] = []
    const receive = b.receive.bind(b)
    b.receive = (...message) => held.push(() => receive(...message))
    await a.stop()
    await until('that b has joined alone', async () =>
      Array.isArray(await stableMembers(group.admin, group.groupId, 1)),
    )
    await expect(group.settled({ timeoutMs: 500 })).rejects.toThrow('nobody leads')
    b.receive = receive
    for (const deliver of held) deliver()
    expect((await group.settled()).leader).toBe(b)
  } finally {
    await group.close()
  }
})
