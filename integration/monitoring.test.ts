/**
 * What is measured of a live group is what its log lines say: by each consumer's own /metrics, and by a real Prometheus
 * that reads them. The alert rules and the dashboard are put to that Prometheus.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { completeOwnership, stableMembers } from './support/broker-view'
import { type RunningKafka, startKafka } from './support/kafka'
import { freePort } from './support/kafka/ports'
import { type LogRecord, Program, parseRecord } from './support/program'
import { Prometheus, prometheusMissing, promtool } from './support/prometheus'
import { root } from './support/root'
import { say, until } from './support/wait'

const testWithPrometheus = prometheusMissing ? test.skip : test
const why = prometheusMissing ? ` [${prometheusMissing}]` : ''

interface Consumer {
  program: Program
  address: string
  lines: LogRecord[]
}

let kafka: RunningKafka
let admin: Admin
let prometheus: Prometheus | undefined
const consumers = new Map<string, Consumer>()
const groupId = 'monitored'

beforeAll(async () => {
  kafka = await startKafka()
  admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  expect(await new Program('topics', 'orders/topics.js', { BROKERS: kafka.brokers.join(',') }).exited).toBe(0)
})
afterAll(async () => {
  await Promise.all([...consumers.values()].map(({ program }) => program.end('SIGKILL')))
  await prometheus?.stop()
  await admin?.disconnect()
  await kafka?.remove()
})

async function start(name: string, assignor: string): Promise<void> {
  const port = String(await freePort())
  const lines: LogRecord[] = []
  const env = { BROKERS: kafka.brokers.join(','), GROUP: groupId, ASSIGNOR: assignor, METRICS_PORT: port }
  const program = new Program(name, 'orders/consumer.js', env, line => {
    const record = parseRecord(line)
    if (record) lines.push(record)
  })
  consumers.set(name, { program, address: `127.0.0.1:${port}`, lines })
}

async function end(name: string, signal: NodeJS.Signals): Promise<void> {
  await consumers.get(name)!.program.end(signal)
  consumers.delete(name)
}

/** Waits until the consumers that run share all partitions, by the broker's word. */
const settled = () =>
  until(`that ${[...consumers.keys()].join(', ')} settle`, async () => {
    const members = await stableMembers(admin, groupId, consumers.size)
    if (typeof members === 'string') return undefined
    const named = members.map(({ clientId, assignment }) => ({ name: clientId, assignment }))
    return typeof (await completeOwnership(admin, ['orders'], named)) !== 'string' || undefined
  })

/** What the metrics have to be, by the log lines. */
function told(lines: readonly LogRecord[]): Record<string, number> {
  const rebalances = lines.filter(({ event }) => event === 'rebalance')
  const assignments = lines.filter(({ event }) => event === 'assignment')
  const sum = (records: readonly LogRecord[], field: string) =>
    records.reduce((total, record) => total + Number(record[field] ?? 0), 0)
  const last = rebalances.at(-1)
  return {
    kafka_consumer_rebalance_total: assignments.length,
    kafka_consumer_assigned_partitions: Number(assignments.at(-1)?.assigned ?? 0),
    kafka_consumer_partitions_assigned_total: sum(assignments, 'gained'),
    kafka_consumer_partitions_revoked_total: sum(assignments, 'gaveUp'),
    kafka_consumer_partitions_lost_total: sum(assignments, 'lost'),
    kafka_consumer_rebalance_storms_total: lines.filter(({ event }) => event === 'rebalance-storm').length,
    kafka_assignor_plan_duration_seconds_count: rebalances.length,
    kafka_assignor_partitions_moved_total: sum(rebalances, 'moved'),
    kafka_assignor_partitions_kept_total: sum(rebalances, 'kept'),
    kafka_assignor_partitions_withheld_total: sum(rebalances, 'withheld'),
    kafka_assignor_minimum_moves_total: sum(rebalances, 'minimumMoves'),
    ...(last && {
      kafka_assignor_imbalance: Number(last.balanceMax) - Number(last.balanceMin),
      kafka_assignor_imbalance_before: Number(last.balanceMaxBefore) - Number(last.balanceMinBefore),
    }),
  }
}

/** The same names, each summed over its labels, as Prometheus' text format has them. */
async function scraped({ address, lines }: Consumer): Promise<Record<string, number>> {
  const text = await (await fetch(`http://${address}/metrics`)).text()
  const sums = Object.fromEntries(Object.keys(told(lines)).map(name => [name, 0]))
  for (const [, name, value] of text.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm))
    if (name! in sums) sums[name!]! += Number(value)
  return sums
}

testWithPrometheus(`each scrape equals the log lines, and so does what Prometheus makes of them${why}`, async () => {
  await start('A', 'sticky')
  await settled()
  await start('B', 'sticky')
  await settled()
  await start('C', 'sticky')
  await settled()
  await end('B', 'SIGKILL')
  await settled()
  await start('D', 'sticky')
  await settled()

  for (const [name, consumer] of consumers) {
    // Lines travel by a pipe: the last may be on its way.
    let seen = ''
    await until(
      `that the metrics of ${name} are what it logged`,
      async () => {
        const [actual, expected] = [await scraped(consumer), told(consumer.lines)]
        seen = JSON.stringify({ actual, expected })
        return JSON.stringify(actual) === JSON.stringify(expected)
      },
      { timeoutMs: 20_000, explain: () => seen },
    )
  }
  const moved = told([...consumers.values()].flatMap(({ lines }) => lines)).kafka_assignor_partitions_moved_total!
  expect(moved).toBeGreaterThan(12)

  prometheus = await Prometheus.start([...consumers.values()].map(({ address }) => address))
  for (const [name, { address, lines }] of consumers)
    for (const [metric, value] of Object.entries(told(lines))) {
      let seen = ''
      await until(
        `that Prometheus knows ${metric} of ${name} as ${value}`,
        async () => {
          const samples = await prometheus!.query(
            `sum(${metric}{instance="${address}",client_id="${name}"}) or vector(0)`,
          )
          seen = JSON.stringify(samples)
          return samples[0]?.value === value
        },
        { timeoutMs: 30_000, everyMs: 200, explain: () => seen },
      )
    }
  say(`a scrape, the log lines and Prometheus agree on ${moved} moved partitions`)
})

testWithPrometheus(`the alert rules and the configuration are right, and can be evaluated${why}`, async () => {
  expect(await promtool('check', 'rules', 'docs/prometheus/alerts.yml')).toContain('SUCCESS: 6 rules found')
  expect(await promtool('check', 'config', 'docs/prometheus/prometheus.yml')).toContain('valid prometheus config')
  const healthy = await until('that every rule has been evaluated', async () => {
    const rules = await prometheus!.rules()
    return !Object.values(rules).includes('unknown') && rules
  })
  expect(Object.keys(healthy)).toHaveLength(6)
  expect(new Set(Object.values(healthy))).toEqual(new Set(['ok']))
})

testWithPrometheus(`every panel of the dashboard has something to show${why}`, async () => {
  const dashboard = JSON.parse(readFileSync(join(root, 'docs/grafana/dashboard.json'), 'utf8'))
  const expressions: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
  expect(expressions.length).toBeGreaterThan(20)
  for (const expression of expressions) {
    const asked = expression
      .replaceAll('$__rate_interval', '1m')
      .replaceAll('$__range', '10m')
      .replaceAll('$group', groupId)
    expect(asked).not.toContain('$')
    await until(`that ${asked} has a value`, async () => (await prometheus!.query(asked)).length > 0)
  }
})
