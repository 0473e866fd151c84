/** What a consumer tells beyond its log lines: metrics on a real prom-client, the diagnostics channels, storms. */
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { afterEach, describe, expect, test } from '@jest/globals'
import * as client from 'prom-client'
import { prometheusMetrics } from '../report/prometheus'
import type { RebalanceReport } from '../report/rebalance-report'
import { stickyAssignor } from './factories'
import type { AssignorOptions } from './options'
import { FakeKafka } from './testing/fake-kafka'
import { rebalance, ScriptedConsumer } from './testing/scripted-consumer'

const start = (kafka: FakeKafka, clientId: string, options: AssignorOptions) =>
  ScriptedConsumer.start(kafka, { clientId, topics: [...kafka.topics.keys()], assigners: [stickyAssignor(options)] })

async function values(registry: client.Registry, name: string) {
  const metrics = await registry.getMetricsAsJSON()
  const found = metrics.find(metric => metric.name === name)
  if (!found) throw new Error(`no metric ${name}`)
  return found.values as { value: number; labels: Record<string, string>; metricName?: string }[]
}

const total = async (registry: client.Registry, name: string) =>
  (await values(registry, name)).reduce((sum, { value }) => sum + value, 0)

test.each([
  [undefined, 'options', 'expected an object of options, got undefined'],
  [client, 'register', 'unknown option "register"; known are client, registry'],
  [{ client, prefix: 'app_' }, 'prefix', 'unknown option "prefix"; known are client, registry'],
  [{}, 'client', 'option "client" must be prom-client'],
  [{ client: client.register }, 'client', 'option "client" must be prom-client'],
  [{ client, registry: 'mine' }, 'registry', 'option "registry" must be a registry of prom-client, got string "mine"'],
])('metrics on what is no prom-client are refused at once %#', (options, field, message) => {
  const call = () => prometheusMetrics(options as never)
  expect(call).toThrow(`prometheusMetrics: ${message}`)
  expect(call).toThrow(expect.objectContaining({ code: 'STICKY_ERR_INVALID_OPTION', field }))
})

describe('metrics', () => {
  test('equal what the reports say, summed over consumers that share a registry', async () => {
    const registry = new client.Registry()
    const reports: RebalanceReport[] = []
    const options = {
      metrics: prometheusMetrics({ client, registry }),
      onRebalance: (report: RebalanceReport) => void reports.push(report),
    }
    const kafka = new FakeKafka({ orders: 6, audit: 1 })
    const a = await start(kafka, 'a', options)
    const b = await start(kafka, 'b', options)
    await rebalance(a)
    await rebalance(a, b)

    const plans = reports.flatMap(({ plan }) => (plan ? [plan] : []))
    expect(plans.length).toBe(2)
    for (const [name, of] of [
      ['moved', 'moved'],
      ['kept', 'kept'],
      ['withheld', 'withheld'],
    ] as const)
      expect(await total(registry, `kafka_assignor_partitions_${name}_total`)).toBe(
        plans.reduce((sum, plan) => sum + plan[of], 0),
      )
    expect(await total(registry, 'kafka_assignor_minimum_moves_total')).toBe(
      plans.reduce((sum, plan) => sum + plan.minimumMoves, 0),
    )
    expect(await total(registry, 'kafka_consumer_rebalance_total')).toBe(reports.length)
    expect(await total(registry, 'kafka_consumer_assigned_partitions')).toBe(7)
    expect(await total(registry, 'kafka_consumer_partitions_assigned_total')).toBe(7 + 3)
    expect(await total(registry, 'kafka_consumer_partitions_revoked_total')).toBe(3)
    expect(await total(registry, 'kafka_assignor_imbalance')).toBe(1)
    expect(await total(registry, 'kafka_assignor_imbalance_before')).toBe(7)
    expect(await values(registry, 'kafka_assignor_member_changes_total')).toMatchObject([
      { value: 1, labels: { change: 'joined' } },
      { value: 0, labels: { change: 'left' } },
      { value: 0, labels: { change: 'resubscribed' } },
    ])
    expect(await total(registry, 'kafka_assignor_topic_changes_total')).toBe(0)
    expect(await total(registry, 'kafka_assignor_stickiness_ratio')).toBeCloseTo(4 / 7)
  })

  test('are there before anything goes wrong: a counter that appears with its first event has not grown', async () => {
    const registry = new client.Registry()
    const a = await start(new FakeKafka({ orders: 2 }), 'a', { metrics: prometheusMetrics({ client, registry }) })
    await rebalance(a)
    for (const [name, series] of [
      ['kafka_consumer_partitions_lost_total', 1],
      ['kafka_consumer_partitions_revoked_total', 1],
      ['kafka_consumer_rebalance_storms_total', 1],
      ['kafka_consumer_callback_errors_total', 4],
      ['kafka_assignor_claims_rejected_total', 5],
      ['kafka_assignor_followup_rebalances_total', 1],
    ] as const)
      expect((await values(registry, name)).map(({ value }) => value)).toEqual(Array(series).fill(0))
  })

  test('have the group and the client as labels and never a member id', async () => {
    const registry = new client.Registry()
    const kafka = new FakeKafka({ orders: 2 })
    const a = await start(kafka, 'billing', { metrics: prometheusMetrics({ client, registry }) })
    await rebalance(a)
    expect((await values(registry, 'kafka_consumer_rebalance_total'))[0]!.labels).toEqual({
      group_id: 'group',
      client_id: 'billing',
      protocol: 'eager',
    })
    expect(await registry.metrics()).not.toContain(a.memberId)
  })

  test('show no partitions of a consumer that has left', async () => {
    const registry = new client.Registry()
    const kafka = new FakeKafka({ orders: 2 })
    const a = await start(kafka, 'a', { metrics: prometheusMetrics({ client, registry }) })
    await rebalance(a)
    expect(await total(registry, 'kafka_consumer_assigned_partitions')).toBe(2)
    await a.stop()
    expect(await total(registry, 'kafka_consumer_assigned_partitions')).toBe(0)
  })

  test('that throw do not disturb the group', async () => {
    const broken = () => {
      throw new Error('no disk')
    }
    const kafka = new FakeKafka({ orders: 2 })
    const lines: Record<string, unknown>[] = []
    const a = await start(kafka, 'a', {
      metrics: { rebalanced: broken, ended: broken, callbackFailed: broken, stormed: broken },
      logger: { info() {}, warn() {}, error: fields => void lines.push(fields) },
    })
    await rebalance(a)
    expect(a.assigned).toEqual(['orders-0', 'orders-1'])
    expect(lines).toEqual([{ event: 'metrics-failed', groupId: 'group', error: 'Error: no disk' }])
  })

  test('count callbacks that throw', async () => {
    const registry = new client.Registry()
    const kafka = new FakeKafka({ orders: 2 })
    const a = await start(kafka, 'a', {
      metrics: prometheusMetrics({ client, registry }),
      onPartitionsAssigned: () => {
        throw new Error('mine')
      },
    })
    await rebalance(a)
    const failed = await values(registry, 'kafka_consumer_callback_errors_total')
    expect(Object.fromEntries(failed.map(({ labels, value }) => [labels.callback, value]))).toEqual({
      onRebalance: 0,
      onPartitionsRevoked: 0,
      onPartitionsAssigned: 1,
      onPartitionsLost: 0,
    })
  })
})

describe('diagnostics channels', () => {
  const undo: (() => void)[] = []
  afterEach(() => {
    for (const each of undo.splice(0)) each()
  })

  test('tell of each rebalance and each plan', async () => {
    const told: string[] = []
    const onRebalance = (report: unknown) => void told.push(`rebalance ${(report as RebalanceReport).generation}`)
    channel('kafkajs-sticky-assignor:rebalance').subscribe(onRebalance)
    const plan = {
      start: (trace: unknown) => void told.push(`plan of ${(trace as { members: number }).members}`),
      end() {},
      asyncStart() {},
      asyncEnd: () => void told.push('planned'),
      error() {},
    }
    tracingChannel('kafkajs-sticky-assignor:plan').subscribe(plan)
    undo.push(() => {
      channel('kafkajs-sticky-assignor:rebalance').unsubscribe(onRebalance)
      tracingChannel('kafkajs-sticky-assignor:plan').unsubscribe(plan)
    })
    const kafka = new FakeKafka({ orders: 2 })
    await rebalance(await start(kafka, 'a', {}))
    expect(told).toEqual(['plan of 1', 'planned', 'rebalance 1'])
  })
})

test('a group that rebalances again and again gets one warning with the likely cause', async () => {
  const registry = new client.Registry()
  const warnings: Record<string, unknown>[] = []
  const kafka = new FakeKafka({ orders: 2 })
  const a = await start(kafka, 'a', {
    metrics: prometheusMetrics({ client, registry }),
    stormWatch: { rebalances: 3 },
    logger: { info() {}, warn: fields => void warnings.push(fields), error() {} },
  })
  for (let i = 0; i < 8; i++) await rebalance(a)
  expect(warnings).toMatchObject([{ event: 'rebalance-storm', rebalances: 4, partition: '', moves: 0 }])
  expect(await total(registry, 'kafka_consumer_rebalance_storms_total')).toBe(1)
})
