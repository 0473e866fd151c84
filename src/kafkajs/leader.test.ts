/** What a leader sends to its group, and how it comes to know topics that it does not read itself. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeAssignment } from '../protocol'
import type { AssignerConfig } from './assigner'
import { eagerAssigner } from './eager-assigner'
import { rangeAssignor, roundRobinAssignor, stickyAssignor } from './factories'
import { interceptCluster } from './intercept'
import { FakeKafka } from './testing/fake-kafka'
import { rebalance, ScriptedConsumer } from './testing/scripted-consumer'

const start = (kafka: FakeKafka, clientId: string, topics: string[], assigners = [stickyAssignor()]) =>
  ScriptedConsumer.start(kafka, { clientId, topics, assigners })

const warnings = (kafka: FakeKafka, event: string) => kafka.logs.filter(({ fields }) => fields.event === event)

/** What the assigner of a leader answers for members that sent these bytes, as "topic-partition" by member. */
async function planFor(leader: ScriptedConsumer, members: Record<string, Buffer>): Promise<Record<string, string[]>> {
  const list = Object.entries(members).map(([memberId, memberMetadata]) => ({ memberId, memberMetadata }))
  const assignments = await leader.assigners[0]!.assign({ members: list, topics: leader.options.topics })
  return Object.fromEntries(
    assignments.map(({ memberId, memberAssignment }) => {
      const { partitions, problem, trailing } = decodeAssignment(memberAssignment)
      expect({ problem, trailing }).toEqual({ problem: null, trailing: 0 })
      return [memberId, partitions.flatMap(each => each.partitions.map(partition => `${each.topic}-${partition}`))]
    }),
  )
}

const metadataOf = (consumer: ScriptedConsumer) =>
  consumer.assigners[0]!.protocol({ topics: consumer.options.topics }).metadata

describe('topics that the leader does not read', () => {
  test('B02: each member gets of what it subscribes, whoever leads', async () => {
    const kafka = new FakeKafka({ A: 2, B: 2 })
    const members = [
      await start(kafka, 'g-1', ['A']),
      await start(kafka, 'g-0', ['B']),
      await start(kafka, 'g-2', ['B']),
      await start(kafka, 'g-3', ['A']),
    ]
    await rebalance(...members)
    const [g1, g0, g2, g3] = members.map(each => each.assigned)
    expect([...g1!, ...g3!].sort()).toEqual(['A-0', 'A-1'])
    expect([...g0!, ...g2!].sort()).toEqual(['B-0', 'B-1'])
    expect([g0, g1, g2, g3].map(own => own!.length)).toEqual([1, 1, 1, 1])
  })

  test.each([
    ['sticky', stickyAssignor],
    ['range', rangeAssignor],
    ['roundrobin', roundRobinAssignor],
  ])('B04: three consumers of one group, each with a topic of its own, under %s', async (_, factory) => {
    const kafka = new FakeKafka({ T1: 1, T2: 1, T3: 1 })
    const members = await Promise.all(['T1', 'T2', 'T3'].map(topic => start(kafka, topic, [topic], [factory()])))
    await rebalance(...members)
    expect(members.map(each => each.assigned)).toEqual([['T1-0'], ['T2-0'], ['T3-0']])
  })

  test('B07: their metadata are read without touching what kafkajs has cached', async () => {
    const kafka = new FakeKafka({ t1: 1, t2: 1 })
    const [a, b] = [await start(kafka, 'a', ['t1']), await start(kafka, 'b', ['t2'])]
    await rebalance(a, b)
    expect([a.assigned, b.assigned]).toEqual([['t1-0'], ['t2-0']])
    expect(a.cluster.brokerPool!.metadata!.topicMetadata.map(({ topic }) => topic)).toEqual(['t1'])
    expect([...a.cluster.targetTopics!]).toEqual(['t1'])
  })

  test('are never created by asking, though the consumer and the broker allow it', async () => {
    const kafka = new FakeKafka({ mine: 1 })
    const leader = await start(kafka, 'a', ['mine'])
    const other = await start(kafka, 'b', ['mine'])
    other.options.topics = ['mine', 'nowhere']
    const plan = await planFor(leader, { a: metadataOf(leader), b: metadataOf(other) })
    expect(Object.values(plan).flat()).toEqual(['mine-0'])
    expect([...kafka.topics.keys()]).toEqual(['mine'])
  })

  test('that are unknown, illegal or hidden leave the others complete, and are warned of once', async () => {
    const kafka = new FakeKafka({ good: 2, secret: 2 })
    kafka.forbidden.add('secret')
    const leader = await start(kafka, 'a', ['good'])
    const other = await start(kafka, 'b', ['good'])
    other.options.topics = ['good', 'secret', 'nowhere', 'not legal', '..', 'x'.repeat(250), '__proto__']
    for (let round = 0; round < 2; round++) {
      const plan = await planFor(leader, { a: metadataOf(leader), b: metadataOf(other) })
      expect(Object.values(plan).flat().sort()).toEqual(['good-0', 'good-1'])
    }
    const [warning, ...more] = warnings(kafka, 'topics-missing')
    expect(more).toEqual([])
    expect(warning!.fields.topics).toMatch(/secret \(this consumer may not describe it\)/)
    expect(warning!.fields.topics).toMatch(/nowhere \(does not exist\)/)
    expect(warning!.fields.topics).toMatch(/not legal \(not a legal name\)/)
  })

  test('are planned from memory when no broker answers', async () => {
    const kafka = new FakeKafka({ mine: 1, theirs: 2 })
    const [a, b] = [await start(kafka, 'a', ['mine']), await start(kafka, 'b', ['theirs'])]
    const members = { a: metadataOf(a), b: metadataOf(b) }
    const before = await planFor(a, members)
    const fail = () => Promise.reject(new Error('unreachable'))
    // The coordinator is not known here: the seed broker and the node are asked.
    for (let i = 0; i < 2; i++) kafka.once('Metadata', fail)
    expect(await planFor(a, members)).toEqual(before)
    expect(before).toEqual({ a: ['mine-0'], b: ['theirs-0', 'theirs-1'] })
    expect(warnings(kafka, 'metadata-failed')).toHaveLength(1)
  })

  test('are planned where a bundler renamed the connection pool: asked one by one, still without creating', async () => {
    const kafka = new FakeKafka({ mine: 1, theirs: 2 })
    const [a, b] = [await start(kafka, 'a', ['mine']), await start(kafka, 'b', ['theirs', 'mine'])]
    b.options.topics = ['theirs', 'nowhere', 'mine']
    const members = { a: metadataOf(a), b: metadataOf(b) }
    const broker = await interceptCluster(a.cluster).original.findBroker({ nodeId: 1 })
    const { metadata } = broker
    // What is left when `connectionPool` has another name.
    Object.defineProperty(broker, 'connectionPool', { value: undefined })
    broker.isConnected = () => true
    broker.metadata = async function (this: unknown, topics: string[]) {
      const real = Object.create(broker, {
        connectionPool: { value: pool },
        allowAutoTopicCreation: { value: (this as { allowAutoTopicCreation: boolean }).allowAutoTopicCreation },
      })
      return metadata.call(real, topics)
    }
    const pool = await (a.cluster.connectionPoolBuilder as { build(): Promise<unknown> }).build()
    const plan = await planFor(a, members)
    expect(Object.values(plan).flat().sort()).toEqual(['mine-0', 'theirs-0', 'theirs-1'])
    expect(kafka.topics.has('nowhere')).toBe(false)
  })
})

describe('racks (KIP-881)', () => {
  test('of replicas come from the brokers, those of members from their option', async () => {
    const kafka = new FakeKafka({ T: [[1], [2], [1], [2]] })
    kafka.nodes.set(1, { rack: 'r1' }).set(2, { rack: 'r2' })
    const [a, b] = await Promise.all(
      ['r2', 'r1'].map(rackId => start(kafka, `in-${rackId}`, ['T'], [rangeAssignor({ rackId })])),
    )
    await rebalance(a!, b!)
    expect([a!.assigned, b!.assigned]).toEqual([
      ['T-1', 'T-3'],
      ['T-0', 'T-2'],
    ])
  })
})

describe('members that cannot be read', () => {
  test('get an empty entry and one warning; the others are complete', async () => {
    const kafka = new FakeKafka({ T: 3 })
    const leader = await start(kafka, 'a', ['T'])
    const bad = { garbage: Buffer.from('ffffff', 'hex'), empty: Buffer.alloc(0), short: Buffer.from([0]) }
    for (let round = 0; round < 3; round++) {
      const plan = await planFor(leader, { ...bad, good: metadataOf(leader) })
      expect(plan).toEqual({ empty: [], garbage: [], good: ['T-0', 'T-1', 'T-2'], short: [] })
    }
    const lines = warnings(kafka, 'member-unreadable')
    expect(lines.map(({ fields }) => fields.memberId).sort()).toEqual(['empty', 'garbage', 'short'])
    for (const { fields, message } of lines) {
      expect(fields.reason).toEqual(expect.stringMatching(/version at byte 0/))
      expect(message).toMatch(/gets no partitions/)
    }
  })

  test('with intact topics take part without their claims (a v1 header over a v0 body)', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const leader = await start(kafka, 'a', ['T'])
    const v1OverV0 = Buffer.from('00010000000100015400000000', 'hex')
    const plan = await planFor(leader, { nest: v1OverV0, a: metadataOf(leader) })
    expect(Object.values(plan).map(own => own.length)).toEqual([1, 1])
    expect(warnings(kafka, 'member-unreadable')[0]!.message).toMatch(/takes part without its claims/)
  })

  test('are warned of again once they have been away', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const leader = await start(kafka, 'a', ['T'])
    const good = { a: metadataOf(leader) }
    const bad = { bad: Buffer.alloc(0) }
    for (const members of [{ ...good, ...bad }, good, { ...good, ...bad }]) await planFor(leader, members)
    expect(warnings(kafka, 'member-unreadable')).toHaveLength(2)
  })
})

describe('assign() and protocol() never throw', () => {
  test('whatever bytes the members sent', async () => {
    const kafka = new FakeKafka({ T: 3 })
    const leader = await start(kafka, 'a', ['T'], [stickyAssignor()])
    const good = metadataOf(leader)
    const mangled = fc
      .tuple(fc.nat(good.length - 1), fc.uint8Array({ minLength: 1, maxLength: 8 }))
      .map(([at, bytes]) => Buffer.concat([good.subarray(0, at), bytes, good.subarray(at + bytes.length)]))
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string(),
          fc.oneof(
            fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes)),
            mangled,
          ),
          { maxKeys: 5 },
        ),
        async members => {
          const plan = await planFor(leader, { ...members, 'the good one': good })
          expect(Object.keys(plan).sort()).toEqual([...Object.keys(members), 'the good one'].sort())
          const owned = Object.values(plan).flat()
          expect(owned.filter(key => key.startsWith('T-')).sort()).toEqual(['T-0', 'T-1', 'T-2'])
        },
      ),
      { numRuns: 200 },
    )
  })

  test('not even for members that kafkajs never makes', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const leader = await start(kafka, 'a', ['T'])
    const [assigner] = leader.assigners
    const odd = [{ memberId: 'x', memberMetadata: null }, { memberId: 'y' }] as never[]
    const answer = await assigner!.assign({ members: odd, topics: ['T'] })
    expect(answer.map(({ memberId }) => memberId)).toEqual(['x', 'y'])
    expect(await assigner!.assign({ members: [], topics: [] })).toEqual([])
    for (const topics of [[], ['x'.repeat(40_000)], [null], ['T', 'T']] as string[][])
      expect(Buffer.isBuffer(assigner!.protocol({ topics }).metadata)).toBe(true)
  })

  test('a planner that fails costs stickiness, not completeness: a plain round robin is sent, logged and counted', async () => {
    const kafka = new FakeKafka({ T: 5, U: 1 })
    kafka.planFailuresExpected = true
    const broken = (config: AssignerConfig) =>
      eagerAssigner({ name: 'no such strategy' as never, claimsIn: 'nothing' }, config, {})
    const [a, b] = [await start(kafka, 'a', ['T'], [broken]), await start(kafka, 'b', ['T', 'U'], [broken])]
    await rebalance(a, b)
    expect([...a.assigned, ...b.assigned].sort()).toEqual(['T-0', 'T-1', 'T-2', 'T-3', 'T-4', 'U-0'])
    expect(b.assigned).toContain('U-0')
    expect(warnings(kafka, 'plan-failed')[0]!.fields).toMatchObject({ failures: 1 })
    expect(warnings(kafka, 'plan-failed')[0]!.fields.error).toMatch(/strategy must be one of/)
    const [line] = warnings(kafka, 'rebalance')
    expect(line!.fields).toMatchObject({ fallback: 'round robin', partitions: 6, members: 2, moved: 6 })
  })
})

describe('a deleted topic of the leader itself', () => {
  const deleted = async () => {
    const kafka = new FakeKafka({ keep: 2, drop: 2 })
    kafka.autoCreateTopics = false
    const members = [await start(kafka, 'a', ['keep', 'drop']), await start(kafka, 'b', ['keep', 'drop'])]
    await rebalance(...members)
    kafka.topics.delete('drop')
    return { kafka, members }
  }

  test('does not leave the group without a plan', async () => {
    const { kafka, members } = await deleted()
    await rebalance(...members)
    expect(members.flatMap(each => each.assigned).sort()).toEqual(['keep-0', 'keep-1'])
    expect(warnings(kafka, 'own-topics-gone')[0]!.fields.topics).toBe('drop')
    const line = warnings(kafka, 'rebalance').at(-1)!
    expect(line.fields).toMatchObject({ partitions: 2, missingTopics: 'drop' })
  })

  test('does not crash the fetches of a member that held it, nor its next start', async () => {
    const { members } = await deleted()
    for (const member of members) {
      for (let i = 0; i < 3; i++) await member.group.fetch(1)
      expect(member.assigned.filter(key => key.startsWith('drop'))).toEqual([])
    }
    const [a] = members
    await a!.stop()
    await a!.disconnect()
    await a!.connect()
    a!.run()
    await a!.group.connect()
    await rebalance(...members)
    expect(members.flatMap(each => each.assigned).sort()).toEqual(['keep-0', 'keep-1'])
  })

  test('is read again when it is back', async () => {
    const { kafka, members } = await deleted()
    await rebalance(...members)
    kafka.topics.set('drop', 4)
    await rebalance(...members)
    // Followers learn of it with their next refresh; nobody has to restart.
    for (const member of members) await member.cluster.refreshMetadata()
    await rebalance(...members)
    expect(members.flatMap(each => each.assigned)).toHaveLength(6)
  })

  test('may be all that there is', async () => {
    const kafka = new FakeKafka({ drop: 1 })
    kafka.autoCreateTopics = false
    const a = await start(kafka, 'a', ['drop'])
    await rebalance(a)
    kafka.topics.delete('drop')
    await rebalance(a)
    expect(a.assigned).toEqual([])
    await a.group.fetch(1)
  })

  test('still makes subscribe() fail if it never existed', async () => {
    const kafka = new FakeKafka({ keep: 1 })
    kafka.autoCreateTopics = false
    const a = await start(kafka, 'a', ['keep'])
    await expect(a.subscribe(['nowhere'])).rejects.toMatchObject({ type: 'UNKNOWN_TOPIC_OR_PARTITION' })
    expect([...a.cluster.targetTopics!]).toEqual(['keep'])
  })
})
