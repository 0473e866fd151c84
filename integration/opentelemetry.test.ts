/**
 * Consumers under OpenTelemetry's instrumentation of kafkajs, which wraps `kafka.consumer`, its `run` and the handlers:
 * the assignor finds all that it leans on, the group rebalances as without it, and every record has its span.
 */
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { expectExact, lastGeneration, linesOf, step, type Tier, tiers } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { partitionKey } from './support/ledger'
import type { AssignerChoice, EndedSpan, Member } from './support/member'
import { until } from './support/wait'

const traced = { kafkajs: join(__dirname, 'support/traced-kafkajs.cjs') }

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

async function start(mode: 'eachMessage' | 'eachBatch', assigner: AssignerChoice) {
  group = await Group.start(kafka, {
    topics: { orders: 6 },
    assigners: [assigner],
    traffic: 120,
    mode,
    reportHeartbeats: true,
  })
  const [a, b] = await Promise.all([group.addWith('a', {}, traced), group.addWith('b', {}, traced)])
  await group.settled()
  return [a, b] as const
}

/** A third member takes two partitions, handles records of them, and gives them back. */
async function joinAndLeaveBeside(): Promise<void> {
  expect(await step(group, () => group.addWith('c', {}, traced))).toMatchObject({ moved: 2, bounced: [] })
  const c = group.member('c')
  await until('that c handles records', () => handledBy(c).length > 0)
  expect(await step(group, () => c.stop())).toMatchObject({ moved: 2, bounced: [] })
}

const handledBy = ({ name }: Member) =>
  group.ledger.handlings.filter(({ member }) => member === name).map(each => `${partitionKey(each)}@${each.offset}`)

/** The record of a span, by its attributes. */
function recordOf({ attributes }: EndedSpan): string {
  const topic = attributes['messaging.destination.name']
  return `${topic}-${attributes['messaging.destination.partition.id']}@${attributes['messaging.kafka.offset']}`
}

const spansNamed = ({ host }: Member, name: string) => host.spans.filter(span => span.name === name)

const batchSizes = (member: Member) =>
  spansNamed(member, 'poll orders').map(({ attributes }) => attributes['messaging.batch.message_count'] as number)
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

/** As without the instrumentation: nothing is missing that the assignor looks for, and events say the truth. */
async function expectUndisturbed(member: Member, protocol: string): Promise<void> {
  expect(member.logs.filter(({ level }) => level === 'WARN' || level === 'ERROR')).toEqual([])
  expect(member.crashes).toEqual([])
  const protocols = linesOf(member, 'assignment').map(({ fields }) => fields.protocol)
  expect(new Set(protocols)).toEqual(new Set([protocol]))
  if (!member.running) return
  const { at, memberId } = member.joins.at(-1)!
  const generation = lastGeneration(group)
  await until('a HEARTBEAT event of the last generation', () =>
    member.heartbeats.some(beat => beat.at > at && beat.memberId === memberId && beat.generation === generation),
  )
}

describe.each(tiers)('cooperative, %s', (tier: Tier) => {
  test.each(['eachMessage', 'eachBatch'] as const)('%s: a join and a leave beside it', async mode => {
    const [a, b] = await start(mode, {
      name: 'cooperative-sticky',
      options: { tier: tier === 'in-place' ? 'auto' : tier },
    })
    await joinAndLeaveBeside()
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])

    for (const member of [a, b, group.member('c')]) {
      await expectUndisturbed(member, `cooperative-${tier}`)
      expect(member.rebalancing).toEqual([])
      await until(`spans of what ${member.name} has handled`, () => {
        const records = new Set(spansNamed(member, 'process orders').map(recordOf))
        return handledBy(member).every(record => records.has(record))
      })
      const spans = member.host.spans
      expect(spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)).toEqual([])
      for (const { attributes } of spans)
        expect(attributes).toMatchObject({
          'messaging.system': 'kafka',
          'messaging.kafka.cluster.id': expect.any(String),
        })
      const records = spansNamed(member, 'process orders')
      expect(new Set(records.map(({ kind }) => kind))).toEqual(new Set([SpanKind.CONSUMER]))
      // One for each call of the handler, and none for what the assignor keeps back or withdraws.
      if (mode === 'eachMessage') expect(records.map(recordOf).sort()).toEqual(handledBy(member).sort())
      else
        await until(
          'a span of each batch',
          () => sum(batchSizes(member)) === spansNamed(member, 'process orders').length,
        )
    }
  })
})

test('sticky, eager: a join and a leave beside it', async () => {
  const [a, b] = await start('eachMessage', { name: 'sticky' })
  await joinAndLeaveBeside()
  await expectExact(group)
  for (const member of [a, b, group.member('c')]) {
    const spans = () => spansNamed(member, 'process orders').map(recordOf).sort()
    await until(`spans of what ${member.name} has handled`, () => spans().length >= handledBy(member).length)
    expect(spans()).toEqual(handledBy(member).sort())
    expect(linesOf(member, 'assignment').length).toBeGreaterThan(0)
  }
})
