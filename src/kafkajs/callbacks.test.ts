/** When the user's callbacks are called, with what, and what happens when they fail. */
import { describe, expect, test } from '@jest/globals'
import { PartitionAssigners } from 'kafkajs'
import type { RebalanceReport } from '../report/rebalance-report'
import type { PartitionAssigner } from './assigner'
import type { PartitionsEvent } from './callbacks'
import { roundRobinAssignor, stickyAssignor } from './factories'
import { interceptCluster } from './intercept'
import type { AssignorOptions } from './options'
import { errorCodes } from './testing/fake-group'
import { FakeKafka } from './testing/fake-kafka'
import { rebalance, ScriptedConsumer, type ScriptedOptions } from './testing/scripted-consumer'

const names = ['onPartitionsRevoked', 'onPartitionsAssigned', 'onPartitionsLost'] as const

/** A consumer whose callbacks and requests are kept in the order in which they happened. */
async function observed(
  kafka: FakeKafka,
  clientId: string,
  options: AssignorOptions = {},
  more: Partial<ScriptedOptions> = {},
) {
  const story: string[] = []
  const events: PartitionsEvent[] = []
  const reports: RebalanceReport[] = []
  const callbacks = Object.fromEntries(
    names.map(name => [
      name,
      async (event: PartitionsEvent) => {
        // Only if it is awaited does the story go on after the next turn.
        await new Promise(resolve => setImmediate(resolve))
        const partitions = Object.entries(event.partitions).map(([topic, ids]) => `${topic} ${ids.join()}`)
        story.push(`${name} ${partitions.join(' ')}@${event.generation}`)
        events.push(event)
      },
    ]),
  )
  const consumer = await ScriptedConsumer.start(kafka, {
    clientId,
    topics: [...kafka.topics.keys()],
    assigners: [stickyAssignor({ ...callbacks, onRebalance: report => void reports.push(report), ...options })],
    ...more,
  })
  for (const api of ['joinGroup', 'syncGroup', 'leaveGroup'] as const) {
    const coordinator = await interceptCluster(consumer.cluster).original.findGroupCoordinator(consumer)
    const real = coordinator[api].bind(coordinator) as (request: never) => Promise<unknown>
    coordinator[api] = async (request: never) => {
      story.push(api)
      const answer = await real(request)
      if (api === 'syncGroup') story.push('assignment')
      return answer as never
    }
  }
  return { consumer, story, events, reports, take: () => story.splice(0) }
}

describe('an eager member', () => {
  test('gives up everything before it joins, and gets all after SyncGroup, kept partitions too', async () => {
    const kafka = new FakeKafka({ T: 2, U: 1 })
    const { consumer, take, events } = await observed(kafka, 'a')
    await rebalance(consumer)
    expect(take()).toEqual(['joinGroup', 'syncGroup', 'assignment', 'onPartitionsAssigned T 0,1 U 0@1'])
    await rebalance(consumer)
    expect(take()).toEqual([
      'onPartitionsRevoked T 0,1 U 0@1',
      'joinGroup',
      'syncGroup',
      'assignment',
      'onPartitionsAssigned T 0,1 U 0@2',
    ])
    for (const event of events) {
      expect(event).toMatchObject({ groupId: 'group', memberId: consumer.memberId })
      expect(Object.getPrototypeOf(event.partitions)).toBeNull()
    }
  })

  test('hears that it got nothing, and gives up nothing then', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const a = await observed(kafka, 'a')
    const b = await observed(kafka, 'b')
    await rebalance(a.consumer, b.consumer)
    const idle = [a, b].find(({ consumer }) => consumer.assigned.length === 0)!
    expect(idle.take().at(-1)).toBe('onPartitionsAssigned @1')
    await rebalance(a.consumer, b.consumer)
    expect(idle.take()).toEqual(['joinGroup', 'syncGroup', 'assignment', 'onPartitionsAssigned @2'])
  })

  test.each([
    ['UNKNOWN_MEMBER_ID', errorCodes.unknownMemberId],
    ['ILLEGAL_GENERATION', errorCodes.illegalGeneration],
  ])('loses its partitions at %s', async (type, errorCode) => {
    const kafka = new FakeKafka({ T: 1 })
    const { consumer, take } = await observed(kafka, 'a')
    await rebalance(consumer)
    take()
    kafka.once('Heartbeat', () => ({ errorCode }))
    await expect(consumer.heartbeat()).rejects.toMatchObject({ type })
    await consumer.join()
    expect(take().slice(0, 2)).toEqual(['onPartitionsLost T 0@1', 'joinGroup'])
  })

  test('revokes before it leaves, and has nothing left to lose then', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const { consumer, take } = await observed(kafka, 'a')
    await rebalance(consumer)
    take()
    await consumer.stop()
    await consumer.disconnect()
    expect(take()).toEqual(['onPartitionsRevoked T 0@1', 'leaveGroup'])
  })

  test('loses its partitions when the connection ends without a leave', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const { consumer, take } = await observed(kafka, 'a')
    await rebalance(consumer)
    take()
    await consumer.disconnect()
    expect(take()).toEqual(['onPartitionsLost T 0@1'])
  })

  test('hears nothing of a rejoin that is no rebalance', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const { consumer, take, reports } = await observed(kafka, 'a')
    await rebalance(consumer)
    take()
    await consumer.leadershipMoved()
    expect(take()).toEqual([])
    expect(reports).toHaveLength(1)
  })

  test('hears of rounds that another assigner of its list won', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const events: string[] = []
    const onPartitionsAssigned = ({ generation }: PartitionsEvent) => void events.push(`assigned@${generation}`)
    const roundRobin = PartitionAssigners.roundRobin as unknown as PartitionAssigner
    const assigners = [roundRobin, stickyAssignor({ onPartitionsAssigned })]
    const consumer = await ScriptedConsumer.start(kafka, { clientId: 'a', topics: ['T'], assigners })
    await rebalance(consumer)
    expect(kafka.group('group').protocol).toBe('RoundRobinAssigner')
    expect(events).toEqual(['assigned@1'])
  })

  test('calls each callback once where several of our assigners are in one list', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const events: string[] = []
    const onPartitionsAssigned = () => void events.push('assigned')
    const assigners = [stickyAssignor({ onPartitionsAssigned }), roundRobinAssignor({ onPartitionsAssigned })]
    const consumer = await ScriptedConsumer.start(kafka, { clientId: 'a', topics: ['T'], assigners })
    await rebalance(consumer)
    expect(events).toEqual(['assigned'])
  })
})

describe('a callback that fails', () => {
  const failures = (kafka: FakeKafka) => kafka.logs.filter(({ fields }) => fields.event === 'callback-failed')

  test.each([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
      /onPartitionsAssigned threw Error: boom/,
    ],
    ['rejects', () => Promise.reject(new Error('boom')), /onPartitionsAssigned threw Error: boom/],
    ['rejects with nothing', () => Promise.reject(undefined), /onPartitionsAssigned threw undefined/],
    [
      'throws what cannot be shown',
      () => {
        throw Object.create(null)
      },
      /threw a value that cannot be shown/,
    ],
    ['never ends', () => new Promise<void>(() => {}), /onPartitionsAssigned did not finish within 10 ms/],
  ])('(%s) is logged by name and counted, and the group goes on', async (_, onPartitionsAssigned, message) => {
    const kafka = new FakeKafka({ T: 1 })
    const { consumer } = await observed(kafka, 'a', { onPartitionsAssigned }, { sessionTimeout: 20 })
    for (let round = 1; round <= 2; round++) {
      await rebalance(consumer)
      expect(consumer.assigned).toEqual(['T-0'])
      const line = failures(kafka).at(-1)!
      expect(line.message).toMatch(message)
      expect(line.fields).toMatchObject({ callback: 'onPartitionsAssigned', failures: round, groupId: 'group' })
    }
  })

  test('after its time was up is logged again, and is no unhandled rejection', async () => {
    const kafka = new FakeKafka({ T: 1 })
    let fail = (_: Error) => {}
    const onPartitionsAssigned = () =>
      new Promise<void>((_, reject) => {
        fail = reject
      })
    const { consumer } = await observed(kafka, 'a', { onPartitionsAssigned }, { sessionTimeout: 20 })
    await rebalance(consumer)
    fail(new Error('late'))
    await new Promise(resolve => setImmediate(resolve))
    expect(failures(kafka).map(({ message }) => message)).toEqual([
      expect.stringMatching(/did not finish/),
      expect.stringMatching(/threw Error: late/),
    ])
  })

  test('for reports does not hold up the group either', async () => {
    const kafka = new FakeKafka({ T: 1 })
    const { consumer } = await observed(kafka, 'a', { onRebalance: () => new Promise<void>(() => {}) })
    await rebalance(consumer)
    expect(consumer.assigned).toEqual(['T-0'])
  })

  test('cannot spoil what the member knows by changing what it was given', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const { consumer } = await observed(kafka, 'a', {
      onPartitionsAssigned: ({ partitions }) => void partitions.T!.splice(0),
    })
    await rebalance(consumer)
    await rebalance(consumer)
    expect(consumer.said().claims).toEqual(['T-0', 'T-1'])
  })
})

describe('the report', () => {
  test('of the leader holds the plan; of a follower what it knows itself', async () => {
    const kafka = new FakeKafka({ T: 4 })
    const a = await observed(kafka, 'a')
    const b = await observed(kafka, 'b')
    await rebalance(a.consumer)
    await rebalance(a.consumer, b.consumer)
    const [first, second] = a.reports
    expect(first).toMatchObject({
      groupId: 'group',
      memberId: a.consumer.memberId,
      generation: 1,
      strategy: 'sticky',
      protocol: 'eager',
      role: 'leader',
      reason: 'first join',
      lostMembership: false,
      plan: { members: 1, partitions: 4, kept: 0, moved: 4, transferred: 0, unclaimed: 4, fallback: false, joined: [] },
    })
    expect(second).toMatchObject({
      generation: 2,
      role: 'leader',
      reason: 'the group is rebalancing',
      plan: {
        members: 2,
        kept: 2,
        moved: 2,
        transferred: 2,
        unclaimed: 0,
        minimumMoves: 2,
        balance: { min: 2, max: 2 },
        balanceBefore: { min: 0, max: 4 },
        joined: [b.consumer.memberId],
        left: [],
        topicsAppeared: [],
        topicsGrown: [],
        topicsVanished: [],
        missingTopics: [],
        unreadableMembers: [],
        rejectedClaims: [],
      },
    })
    expect({ ...second!.assigned }).toEqual({ T: [0, 1] })
    expect({ ...second!.gained }).toEqual({})
    expect({ ...second!.gaveUp }).toEqual({ T: [2, 3] })
    expect(b.reports).toHaveLength(1)
    expect(b.reports[0]).toMatchObject({ role: 'follower', plan: null, generation: 2, reason: 'first join' })
    expect({ ...b.reports[0]!.gained }).toEqual({ T: [2, 3] })
    for (const { durationMs, phasesMs } of [...a.reports, ...b.reports]) {
      const parts = Object.values(phasesMs)
      expect(parts.every(ms => ms >= 0)).toBe(true)
      expect(durationMs).toBeGreaterThanOrEqual(phasesMs.join + phasesMs.sync)
    }
  })

  test('holds no plan that never came into force', async () => {
    const kafka = new FakeKafka({ T: 2 })
    const a = await observed(kafka, 'a')
    const b = await observed(kafka, 'b')
    await rebalance(a.consumer, b.consumer)
    const [leader, other] = a.reports[0]!.role === 'leader' ? [a, b] : [b, a]
    kafka.once('SyncGroup', () => {
      const group = kafka.group('group')
      group.prepare()
      group.leaderId = other.consumer.memberId
      return { errorCode: errorCodes.rebalanceInProgress, memberAssignment: Buffer.alloc(0) }
    })
    await rebalance(leader.consumer, other.consumer)
    const after = [leader, other].map(({ reports }) => reports.at(-1)!)
    expect(after.map(({ role, plan }) => [role, plan === null])).toEqual([
      ['follower', true],
      ['leader', false],
    ])
    expect(after[0]!.generation).toBe(3)
  })

  test('says which topics appeared, grew and vanished since the last plan of this leader', async () => {
    const kafka = new FakeKafka({ T: 2, U: 1 })
    kafka.autoCreateTopics = false
    const { consumer, reports } = await observed(kafka, 'a')
    await rebalance(consumer)
    kafka.topics.set('T', 3)
    kafka.topics.set('V', 1)
    kafka.topics.delete('U')
    const { memberId } = consumer
    consumer.options.topics = ['T', 'U', 'V']
    consumer.run()
    consumer.group.memberId = memberId
    await rebalance(consumer)
    expect(reports.map(({ plan }) => plan)).toMatchObject([
      { topicsAppeared: [], topicsGrown: [], topicsVanished: [], resubscribed: [] },
      { topicsAppeared: ['V'], topicsGrown: ['T'], topicsVanished: ['U'], resubscribed: [memberId] },
    ])
  })

  test('says when the membership had been lost, and who left or changed its subscription', async () => {
    const kafka = new FakeKafka({ T: 2, U: 1 })
    const a = await observed(kafka, 'a')
    const b = await observed(kafka, 'b', {}, { topics: ['T'] })
    const c = await observed(kafka, 'c')
    await rebalance(a.consumer, b.consumer, c.consumer)
    const leader = [a, b, c].find(({ reports }) => reports[0]!.role === 'leader')!
    const [gone, changed] = [a, b, c].filter(each => each !== leader)
    const goneId = gone!.consumer.memberId
    await gone!.consumer.stop()
    changed!.consumer.options.topics = ['U']
    const changedId = changed!.consumer.memberId
    changed!.consumer.run()
    changed!.consumer.group.memberId = changedId
    await rebalance(leader.consumer, changed!.consumer)
    expect(leader.reports.at(-1)!.plan).toMatchObject({ joined: [], left: [goneId], resubscribed: [changedId] })

    kafka.once('Heartbeat', () => ({ errorCode: errorCodes.illegalGeneration }))
    await leader.consumer.heartbeat().catch(() => {})
    kafka.group('group').prepare()
    await changed!.consumer.heartbeat().catch(() => {})
    await Promise.all([leader.consumer.join(), changed!.consumer.join()])
    expect(leader.reports.at(-1)).toMatchObject({
      lostMembership: true,
      reason: 'the coordinator answered ILLEGAL_GENERATION',
    })
  })
})
