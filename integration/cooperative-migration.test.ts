/**
 * A service goes over to the cooperative assignor, and back, as two rolling deploys do it while records come in: at rest
 * every partition has an owner, and no record is lost or handled by two at once.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { cooperative, expectExact } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

const names = ['a', 'b', 'c']
const roundRobin = 'kafkajs-roundrobin'
const ours = 'cooperative-sticky'

/** Replaces the members one by one; returns the protocols in force after each of them. */
async function deploy(version: number, assigners: string[]): Promise<string[]> {
  const protocols: string[] = []
  for (const name of names) {
    await group.member(`${name}${version - 1}`).terminate()
    await group.settled()
    await group.addWith(`${name}${version}`, { assigners })
    protocols.push((await group.settled()).protocol)
  }
  return protocols
}

const protocolsOf = (name: string) => group.member(name).logs.map(({ fields }) => fields.protocol)

test.each([
  ['round robin of kafkajs', roundRobin, 'RoundRobinAssigner'],
  ['eager sticky', 'sticky', 'sticky'],
  ['an assigner of the user’s own', 'custom', 'custom'],
])('from %s to cooperative and back', async (_, old, oldProtocol) => {
  group = await Group.start(kafka, { topics: { [`migration-${old}`]: 12 }, assigners: [old], traffic: 120 })
  await group.add(...names.map(name => `${name}1`))
  expect((await group.settled()).protocol).toBe(oldProtocol)

  // First deploy: both are known, the old one is in force until its last member is gone.
  const first = await deploy(2, [ours, old])
  expect(first).toEqual([oldProtocol, oldProtocol, ours])
  expect(protocolsOf('c2')).toContain('eager')
  expect(protocolsOf('c2')).not.toContain('cooperative-in-place')

  // Second deploy: eager and cooperative members under one name.
  expect(await deploy(3, [ours])).toEqual([ours, ours, ours])
  expect(protocolsOf('c3')).toContain('cooperative-in-place')

  expect(await deploy(4, [ours, old])).toEqual([ours, ours, ours])
  expect((await deploy(5, [old])).at(-1)).toBe(oldProtocol)
  await expectExact(group)
  // A restart of kafkajs' own is no trouble: the group's coordinator may still be loading at the very first join.
  const forGood = [...group.members.values()].flatMap(({ crashes }) => crashes.filter(({ restart }) => !restart))
  expect(forGood).toEqual([])
})

test('beside another assigner: eager, and sticky all the same', async () => {
  group = await Group.start(kafka, { topics: { beside: 12 }, assigners: [...cooperative(), roundRobin], traffic: 120 })
  await group.add('a', 'b')
  await group.settled()
  await group.add('c')
  const { moved, protocol } = await group.settled()
  expect({ moved, protocol }).toEqual({ moved: 4, protocol: ours })
  // What kafkajs says of an eager rebalance.
  expect(group.member('a').rebalancing.length).toBeGreaterThan(0)
  expect(protocolsOf('a')).not.toContain('cooperative-in-place')
  await group.member('b').kill()
  expect((await group.settled()).moved).toBe(4)
  await expectExact(group)
})
