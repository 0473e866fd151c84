/**
 * Racks (KIP-881) in live groups: `rackId` reaches the subscription, and the leader knows from Metadata in which racks
 * each partition's replicas are, so that consumers read from their own rack where balance allows it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { Kafka, logLevel } from 'kafkajs'
import { Group, type Settled } from './support/group'
import { javaMember, javaMissing } from './support/java-member'
import { type RunningKafka, startKafka } from './support/kafka'
import type { HostOptions, Member } from './support/member'
import { topicsReady } from './support/topics'

const racks = ['north', 'south', 'west']
const partitions = 12
let kafka: RunningKafka
let java: HostOptions
let group: Group
/** Node of each partition of `orders`, which has one replica: with one everywhere racks would not matter. */
const nodeOf = Array.from({ length: partitions }, (_, partition) => (Math.floor(partition / 2) % racks.length) + 1)

beforeAll(async () => {
  kafka = await startKafka({ nodes: 3, racks })
  const admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  const replicaAssignment = nodeOf.map((node, partition) => ({ partition, replicas: [node] }))
  await admin.createTopics({ waitForLeaders: false, topics: [{ topic: 'orders', replicaAssignment }] })
  await topicsReady(admin, { orders: partitions })
  await admin.disconnect()
  if (!javaMissing) java = await javaMember()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

const addOurs = (name: string, strategy: string, rackId: string): Promise<Member> =>
  group.addWith(name, { assigners: [{ name: strategy, options: { rackId } }] })

const addJava = (name: string, strategy: string, rackId: string): Promise<Member> =>
  group.addWith(name, { assigners: [strategy], properties: { 'client.rack': rackId } }, java)

/** Partitions whose owner is in another rack than their replica. */
function mismatches({ owners }: Settled, rackOfMember: Record<string, string>): string[] {
  return [...owners]
    .filter(([key, owner]) => rackOfMember[owner] !== racks[nodeOf[Number(key.split('-').at(-1))]! - 1])
    .map(([key, owner]) => `${key} → ${owner}`)
}

const strategies = ['sticky', 'cooperative-sticky', 'range']

// A plan without racks could be right for one of these by chance, never for both.
const placements = [racks, [...racks.slice(1), racks[0]!]]

describe.each(strategies)('%s', strategy => {
  test.each(placements)('members in %s, %s and %s own the partitions of their racks', async (...of) => {
    group = await Group.start(kafka, { topics: { orders: partitions }, assigners: [] })
    await addOurs('a', strategy, of[0]!)
    await group.settled()
    await Promise.all([addOurs('b', strategy, of[1]!), addOurs('c', strategy, of[2]!)])
    const settled = await group.settled()
    expect(mismatches(settled, { a: of[0]!, b: of[1]!, c: of[2]! })).toEqual([])
    expect(settled.rebalance).toMatchObject({ members: 3, partitions })
    await group.nothingLost()
  })
})

const withJava = javaMissing ? describe.skip : describe

withJava(`beside Java members${javaMissing ? ` (${javaMissing})` : ''}`, () => {
  describe.each(strategies)('%s', strategy => {
    test.each([
      ['ours leads', addOurs, addJava],
      ['Java leads', addJava, addOurs],
    ] as const)('%s: each owns the partitions of its rack', async (_, addLeader, addFollower) => {
      group = await Group.start(kafka, { topics: { orders: partitions }, assigners: [] })
      const leader = await addLeader('a', strategy, 'south')
      await group.settled()
      await addFollower('b', strategy, 'west')
      await addFollower('c', strategy, 'north')
      const settled = await group.settled()
      expect(settled.leader.name).toBe(leader.name)
      expect(mismatches(settled, { a: 'south', b: 'west', c: 'north' })).toEqual([])
      await group.nothingLost()
    })
  })
})
