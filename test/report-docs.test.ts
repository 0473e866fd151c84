/** docs/report.md and docs/metrics.md name what there is, and nothing else. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import * as client from 'prom-client'
import { stickyAssignor } from '../src/kafkajs/factories'
import { FakeKafka } from '../src/kafkajs/testing/fake-kafka'
import { rebalance, ScriptedConsumer } from '../src/kafkajs/testing/scripted-consumer'
import { prometheusMetrics } from '../src/report/prometheus'
import type { RebalanceReport } from '../src/report/rebalance-report'

const page = (name: string) => readFileSync(join(__dirname, '../docs', name), 'utf8')

/** Names in a column of the table under a heading. */
function column(text: string, heading: string, index: number): string[] {
  const section = text.split(`## ${heading}`)[1]!.split('\n## ')[0]!
  const rows = section.split('\n').filter(line => line.startsWith('| `'))
  return rows.flatMap(row => [...row.split(' | ')[index]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
}

/** Reports and log lines of a group that is joined by a second member. */
async function observe() {
  const reports: RebalanceReport[] = []
  const lines: Record<string, string | number>[] = []
  const kafka = new FakeKafka({ orders: 4 })
  const start = (clientId: string) =>
    ScriptedConsumer.start(kafka, {
      clientId,
      topics: ['orders'],
      assigners: [
        stickyAssignor({
          onRebalance: report => void reports.push(report),
          logger: { info: fields => void lines.push(fields), warn() {}, error() {} },
        }),
      ],
    })
  const a = await start('a')
  await rebalance(a)
  await rebalance(a, await start('b'))
  return { reports, lines }
}

test('every field of the report is in the table, and every name of the table is a field', async () => {
  const { reports } = await observe()
  const report = reports.find(({ plan }) => plan)!
  const { phasesMs, ...rest } = report
  const text = page('report.md')
  expect(column(text, 'On every member', 0).sort()).toEqual(
    [...Object.keys(rest), ...Object.keys(phasesMs).map(phase => `phasesMs.${phase}`)].sort(),
  )
  expect(column(text, 'On the leader: `plan`', 0).sort()).toEqual(Object.keys(report.plan!).sort())
})

test('every field of the log lines is in the tables', async () => {
  const { lines } = await observe()
  const text = page('report.md')
  const named = new Set(
    ['On every member', 'On the leader: `plan`'].flatMap(heading => [0, 2].flatMap(i => column(text, heading, i))),
  )
  for (const line of lines)
    for (const field of Object.keys(line)) if (field !== 'event') expect([...named]).toContain(field)
})

test('alert rules and dashboard ask for metrics that there are', async () => {
  const registry = new client.Registry()
  prometheusMetrics({ client, registry })
  const known = (await registry.getMetricsAsJSON()).map(({ name }) => name)
  for (const file of ['prometheus/alerts.yml', 'grafana/dashboard.json'])
    for (const [name] of page(file).matchAll(/kafka_\w+/g))
      expect(known).toContain(name!.replace(/_(bucket|count|sum)$/, ''))
})

test('every metric is in the tables of docs/metrics.md, with its labels, and nothing else is', async () => {
  const registry = new client.Registry()
  prometheusMetrics({ client, registry })
  const metrics = await registry.getMetricsAsJSON()
  const text = page('metrics.md')
  const named = ['Of every member', 'Of the leader'].flatMap(heading => column(text, heading, 0))
  expect(named.sort()).toEqual(metrics.map(({ name }) => name).sort())
  for (const { name } of metrics) {
    const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] }
    const row = text.split('\n').find(line => line.startsWith(`| \`${name}\``))!
    for (const label of labelNames.slice(2)) expect(row.split(' | ')[2]).toContain(`\`${label}\``)
  }
})
