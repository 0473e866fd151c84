/** What users of other cooperative clients have met, as it is on kafkajs. Ids are those of test/cases/field-reports.md. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { cooperative, expectExact, linesOf, step, tiers, withFaults } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { partitionKey } from './support/ledger'
import { now, until } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

const noTrouble = () => {
  for (const { name, crashes, failures } of group.members.values())
    expect({ name, crashes, failures }).toEqual({ name, crashes: [], failures: [] })
}

describe.each(tiers)('%s', tier => {
  test('B17: topics come and go under running handlers, and none of them is pulled away from a handler', async () => {
    group = await Group.start(kafka, {
      topics: { x: 2, y: 2 },
      assigners: cooperative({ tier }),
      traffic: 80,
      concurrency: 4,
      handlerDelayMs: 30,
      heartbeatInHandler: true,
      run: { autoCommitThreshold: 1 },
    })
    await group.add('c1', 'c2')
    await group.settled()
    const [c3] = await group.add('c3')
    await group.settled()
    await group.add('c4')
    // One each now: most members have lost one of the two topics altogether.
    await group.settled()
    await c3!.stop()
    await group.settled()
    noTrouble()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('B72: commits during the barrier wait, and none is lost', async () => {
    group = await Group.start(kafka, {
      topics: { b72: 4 },
      assigners: cooperative({ tier }),
      traffic: 80,
      concurrency: 4,
      manualCommit: true,
      run: { autoCommit: false },
    })
    const slow = cooperative({ tier, interfere: { slowLeader: { members: 3, ms: 1500 } } })
    await group.addWith('leader', { assigners: slow }, withFaults)
    await group.settled()
    await group.add('a')
    await group.settled()
    const joined = await step(group, () => group.add('b'))
    expect(joined.bounced).toEqual([])
    noTrouble()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('B73: a commit that is under way while the generation moves on is sent again, and costs no partition', async () => {
    group = await Group.start(kafka, { topics: { b73: 6 }, assigners: cooperative({ tier }), traffic: 120 })
    const slow = { assigners: cooperative({ tier, interfere: { slowCommits: { ms: 200 } } }) }
    await group.addWith('a', slow, withFaults)
    await group.addWith('b', slow, withFaults)
    await group.settled()
    await step(group, () => group.add('c'))
    await step(group, () => group.member('c').stop())
    await step(group, () => group.member('c').run())
    for (const member of group.members.values()) expect(linesOf(member, 'partitions-lost')).toEqual([])
    noTrouble()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('B74: a handler of twice the session, while another member joins, costs no partition', async () => {
    const session = 3000
    group = await Group.start(kafka, {
      topics: { b74: 4 },
      assigners: cooperative({ tier }),
      traffic: 40,
      concurrency: 4,
      consumer: { sessionTimeout: session },
    })
    const [a] = await group.add('a')
    await group.settled()
    await a!.handlerDelay(session * 2)
    await until('that all its handlers are at work', () => {
      const running = group.ledger.handlings.filter(({ member, end }) => member === 'a' && end === undefined)
      return new Set(running.map(partitionKey)).size === 4
    })
    const at = now()
    await a!.handlerDelay(0)
    const joined = await step(group, () => group.add('b'))
    expect(joined).toMatchObject({ moved: 2, bounced: [] })
    expect(now() - at).toBeGreaterThan(session)
    expect(linesOf(a!, 'partitions-lost')).toEqual([])
    noTrouble()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
  })

  test('B76: a partition is not given to B in the round in which A still claims it', async () => {
    group = await Group.start(kafka, { topics: { b76: 2 }, assigners: cooperative({ tier }), traffic: 40 })
    const [a] = await group.add('a')
    await group.settled()
    const before = linesOf(a!, 'rebalance').length
    const [b] = await group.add('b')
    await group.settled()
    const [first, second] = linesOf(a!, 'rebalance').slice(before)
    expect(first!.fields).toMatchObject({ withheld: 1, kept: 1, moved: 0 })
    expect(second!.fields).toMatchObject({ withheld: 0, kept: 1, moved: 1 })
    expect(linesOf(b!, 'assignment').map(({ fields }) => fields.assigned)).toEqual([0, 1])
    await expectExact(group)
  })

  test('B77: what a member keeps goes on being committed in every generation', async () => {
    group = await Group.start(kafka, { topics: { b77: 4 }, assigners: cooperative({ tier }), traffic: 80 })
    const [a] = await group.add('a')
    await group.settled()
    const kept = 0
    const committed = (since: number) =>
      a!.commits
        .filter(({ at }) => at > since)
        .flatMap(({ generation, topics }) =>
          topics.flatMap(({ partitions }) => partitions.map(each => ({ generation, ...each }))),
        )
        .filter(({ partition }) => Number(partition) === kept)
    const seen: { generation: number; offset: number }[] = []
    for (const change of [() => group.add('b'), () => group.add('c'), () => group.member('b').stop()]) {
      await change()
      await group.settled()
      expect(a!.assignment.b77).toContain(kept)
      const since = now()
      await until('that it is committed', () => committed(since).length > 0)
      const { generation, offset } = committed(since).at(-1)!
      seen.push({ generation, offset: Number(offset) })
    }
    expect(seen.map(({ offset }) => offset)).toEqual(
      [...new Set(seen.map(({ offset }) => offset))].sort((x, y) => x - y),
    )
    expect(new Set(seen.map(({ generation }) => generation)).size).toBe(3)
    await expectExact(group)
  })
})
