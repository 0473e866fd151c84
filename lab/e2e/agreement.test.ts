/** One real rebalance, told by onRebalance, the diagnostics channel, the log, the metrics and the page: all say the same. */

import { type ChildProcess, spawn } from 'node:child_process'
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { type Admin, type Consumer, Kafka, logLevel } from 'kafkajs'
import type { RebalanceReport } from 'kafkajs-sticky-assignor'
import type { Browser, Page } from 'playwright-core'
import { Registry } from 'prom-client'
import { type RunningKafka, startKafka } from '../../integration/support/kafka'
import { createTopics } from '../../integration/support/topics'
import { say, until } from '../../integration/support/wait'
import { eventually, executable, launch, open, rowsOf } from './browser'

jest.setTimeout(300_000)

const inBrowser = executable ? describe : describe.skip
const groupId = 'agreement'
const topics = { orders: 7, audit: 3 }
const partitions = 10

/** A consumer of this process, and everything that it tells. */
class Member {
  readonly reports: RebalanceReport[] = []
  readonly lines: Record<string, string | number>[] = []
  readonly registry = new Registry()
  readonly consumer: Consumer

  constructor(
    brokers: string[],
    readonly clientId: string,
  ) {
    // As built, by its name, as an application has it.
    const { stickyAssignor } = require('kafkajs-sticky-assignor') as typeof import('kafkajs-sticky-assignor')
    const { prometheusMetrics } =
      require('kafkajs-sticky-assignor/metrics') as typeof import('kafkajs-sticky-assignor/metrics')
    const client = require('prom-client') as typeof import('prom-client')
    const write = (fields: Record<string, string | number>) => void this.lines.push(fields)
    this.consumer = new Kafka({ clientId, brokers, logLevel: logLevel.NOTHING }).consumer({
      groupId,
      sessionTimeout: 10_000,
      heartbeatInterval: 300,
      maxWaitTimeInMs: 300,
      partitionAssigners: [
        stickyAssignor({
          onRebalance: report => void this.reports.push(report),
          logger: { info: write, warn: write, error: write },
          metrics: prometheusMetrics({ client, registry: this.registry }),
        }),
      ],
    })
  }

  async join(): Promise<void> {
    await this.consumer.connect()
    await this.consumer.subscribe({ topics: Object.keys(topics) })
    await this.consumer.run({ eachMessage: async () => {} })
  }

  reportOf(generation: number): RebalanceReport | undefined {
    return this.reports.find(report => report.generation === generation)
  }

  line(event: string, generation: number): Record<string, string | number> | undefined {
    return this.lines.find(line => line.event === event && line.generation === generation)
  }

  /** The sum of a metric over its labels. */
  async metric(name: string): Promise<number> {
    const metrics = await this.registry.getMetricsAsJSON()
    const found = metrics.find(metric => metric.name === name)!
    return (found.values as { value: number }[]).reduce((sum, { value }) => sum + value, 0)
  }
}

const sizeOf = (byTopic: Readonly<Record<string, readonly number[]>>) =>
  Object.values(byTopic).reduce((sum, { length }) => sum + length, 0)

/** The last generation in which every one of these members has a part, all partitions shared. */
function lastGeneration(members: readonly Member[]): number | undefined {
  const last = new Set(members.map(({ reports }) => reports.at(-1)?.generation))
  const [generation] = last
  if (last.size !== 1 || generation === undefined) return undefined
  const assigned = members.map(member => sizeOf(member.reportOf(generation)!.assigned))
  return assigned.reduce((sum, size) => sum + size, 0) === partitions ? generation : undefined
}

inBrowser('One rebalance', () => {
  let browser: Browser
  let kafka: RunningKafka
  let admin: Admin
  let server: ChildProcess | undefined
  const members: Member[] = []
  const published: RebalanceReport[] = []
  const listen = (message: unknown) => void published.push(message as RebalanceReport)

  beforeAll(async () => {
    browser = await launch()
    kafka = await startKafka()
    admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    await createTopics(admin, topics)
    channel('kafkajs-sticky-assignor:rebalance').subscribe(listen)
  })
  afterAll(async () => {
    channel('kafkajs-sticky-assignor:rebalance').unsubscribe(listen)
    server?.kill('SIGKILL')
    await browser?.close()
    await Promise.all(members.map(({ consumer }) => consumer.disconnect()))
    await admin?.disconnect()
    await kafka?.remove()
  })

  async function watch(): Promise<Page> {
    const program = [join(__dirname, '../../dist/cli/main.js'), 'lab', '--interval', '300']
    server = spawn(process.execPath, [...program, '--brokers', kafka.brokers.join(','), '--group', groupId], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(server.stdout!, 'data')) as [Buffer]
    return (await open(browser, '', { from: /http:\S+/.exec(line.toString())![0], ready: 'state' })).page
  }

  /** Waits until the page shows who has what in this generation. */
  const shows = (page: Page, generation: number) =>
    eventually(
      async () => JSON.stringify(sorted(await rowsOf(page, '.board'))),
      shown => {
        const own = members.map(member => [
          member.reportOf(generation)!.memberId,
          { ...member.reportOf(generation)!.assigned },
        ])
        return shown === JSON.stringify(sorted(Object.fromEntries(own)))
      },
    )

  it('is told the same by everyone', async () => {
    members.push(new Member(kafka.brokers, 'a'), new Member(kafka.brokers, 'b'))
    await Promise.all(members.map(member => member.join()))
    const before = await until('that two share all partitions', () => lastGeneration(members))
    const page = await watch()
    await shows(page, before)

    members.push(new Member(kafka.brokers, 'c'))
    const figures = [
      'kafka_consumer_rebalance_total',
      'kafka_consumer_partitions_assigned_total',
      'kafka_consumer_partitions_revoked_total',
      'kafka_assignor_partitions_moved_total',
      'kafka_assignor_partitions_kept_total',
      'kafka_assignor_partitions_withheld_total',
      'kafka_assignor_minimum_moves_total',
    ]
    const measured = () => Promise.all(members.map(member => Promise.all(figures.map(figure => member.metric(figure)))))
    const [metricsBefore, told] = [await measured(), published.length]
    await members[2]!.join()
    const after = await until('that three share all partitions', () => lastGeneration(members))
    // The first that began after the look at the metrics, and the only one.
    expect(after).toBe(before + 1)
    const metricsAfter = await measured()

    const reports = members.map(member => member.reportOf(after)!)
    const leader = members[reports.findIndex(({ role }) => role === 'leader')]!
    const plan = leader.reportOf(after)!.plan!
    expect(plan).toMatchObject({ members: 3, partitions, moved: 3, kept: 7, transferred: 3, minimumMoves: 3 })
    expect(plan.joined).toEqual([reports[2]!.memberId])

    // The very objects.
    expect(new Set(published.slice(told))).toEqual(new Set(reports))

    expect(leader.line('rebalance', after)).toMatchObject({
      groupId,
      members: plan.members,
      partitions: plan.partitions,
      moved: plan.moved,
      kept: plan.kept,
      transferred: plan.transferred,
      unclaimed: plan.unclaimed,
      withheld: plan.withheld,
      minimumMoves: plan.minimumMoves,
      balanceMin: plan.balance.min,
      balanceMax: plan.balance.max,
      balanceMinBefore: plan.balanceBefore.min,
      balanceMaxBefore: plan.balanceBefore.max,
    })
    for (const [i, member] of members.entries()) {
      const report = reports[i]!
      const [assigned, gained, gaveUp] = [report.assigned, report.gained, report.gaveUp].map(sizeOf)
      expect(member.line('assignment', after)).toMatchObject({
        memberId: report.memberId,
        role: report.role,
        assigned,
        kept: assigned! - gained!,
        gained,
        gaveUp,
      })
      const counted = metricsAfter[i]!.map((value, k) => value - metricsBefore[i]![k]!)
      const planned = member === leader ? [plan.moved, plan.kept, plan.withheld, plan.minimumMoves] : [0, 0, 0, 0]
      expect(Object.fromEntries(figures.map((figure, k) => [figure, counted[k]]))).toEqual(
        Object.fromEntries(figures.map((figure, k) => [figure, [1, gained, gaveUp, ...planned][k]])),
      )
      expect(await member.metric('kafka_consumer_assigned_partitions')).toBe(assigned)
    }
    expect(reports.reduce((sum, { gained }) => sum + sizeOf(gained), 0)).toBe(plan.moved)

    await shows(page, after)
    const entry = page.getByTestId('log').locator('li').first()
    expect([await entry.getAttribute('data-moved'), await entry.getAttribute('data-kept')]).toEqual([
      String(plan.moved),
      String(plan.kept),
    ])
    expect(await entry.textContent()).toContain(
      `${reports[2]!.memberId} joined; ${plan.moved} moved (${plan.transferred}`,
    )
    say(`five tell of generation ${after}: ${plan.moved} moved, ${plan.kept} kept`)
  })
})

const sorted = (shares: Record<string, Record<string, readonly number[]>>) =>
  Object.entries(shares)
    .map(([memberId, share]) => [memberId, Object.entries(share).sort(([a], [b]) => (a < b ? -1 : 1))])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))
