import { type Check, hasMethods, validateAgainst } from '../option-checks'
import type { RejectedClaimReason } from '../planner/types'
import type { ConsumerLabels, RebalanceMetrics } from './rebalance-metrics'
import type { GroupPlanReport, RebalanceReport } from './rebalance-report'

type Labels = Record<string, string>

interface Counter {
  inc(labels: Labels, value?: number): void
}

interface Gauge {
  inc(labels: Labels, value?: number): void
  set(labels: Labels, value: number): void
}

interface Histogram {
  observe(labels: Labels, value: number): void
}

/** What is used of a prom-client registry. */
export interface PrometheusRegistry {
  getSingleMetric(name: string): unknown
}

interface Configuration {
  name: string
  help: string
  labelNames: string[]
  registers: never[]
  buckets?: number[]
}

/** What is used of prom-client: `import * as client from 'prom-client'`. */
export interface PrometheusClient {
  Counter: new (configuration: Configuration) => Counter
  Gauge: new (configuration: Configuration) => Gauge
  Histogram: new (configuration: Configuration) => Histogram
  register: PrometheusRegistry
}

export interface PrometheusOptions {
  /** Your prom-client, 14 or newer. */
  readonly client: PrometheusClient
  /** Where the metrics are registered. Default: prom-client's own. */
  readonly registry?: PrometheusRegistry | undefined
}

const callbacks = ['onRebalance', 'onPartitionsRevoked', 'onPartitionsAssigned', 'onPartitionsLost'] as const
const reasons: readonly RejectedClaimReason[] = [
  'unknown-topic',
  'invalid-partition',
  'not-subscribed',
  'older-generation',
  'same-generation',
]

/** From a fast cooperative round to a session that had to run out. */
const rebalanceBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
const planBuckets = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

const checks: Record<keyof PrometheusOptions, Check> = {
  client: value =>
    hasMethods(value, 'Counter', 'Gauge', 'Histogram')
      ? undefined
      : "prom-client: import * as client from 'prom-client'",
  registry: value => (hasMethods(value, 'getSingleMetric') ? undefined : 'a registry of prom-client'),
}

/**
 * Metrics of rebalances on a prom-client registry, for the `metrics` option of the factories. Consumers of one process
 * can share one, and so can calls with the same registry. Names, units and alert rules: docs/metrics.md.
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_OPTION if an option is unknown, wrong or missing.
 */
export function prometheusMetrics(options: PrometheusOptions): RebalanceMetrics {
  validateAgainst('prometheusMetrics', options, checks)
  const { client, registry = client?.register } = options
  // Neither may be missing.
  validateAgainst('prometheusMetrics', { client: client ?? null, registry: registry ?? null }, checks)
  return new PrometheusMetrics(metricsOn(client, registry))
}

type Metrics = ReturnType<typeof metricsOn>

/** Finds or makes every metric: a registry refuses a second one of the same name. */
function metricsOn(client: PrometheusClient, registry: PrometheusRegistry) {
  const once = <Metric>(name: string, make: () => Metric): Metric =>
    (registry.getSingleMetric(name) as Metric | undefined) ?? make()
  const configuration = (name: string, help: string, more: string[]): Configuration => ({
    name,
    help,
    labelNames: ['group_id', 'client_id', ...more],
    registers: [registry as never],
  })
  const counter = (name: string, help: string, ...more: string[]): Counter =>
    once(name, () => new client.Counter(configuration(name, help, more)))
  const gauge = (name: string, help: string, ...more: string[]): Gauge =>
    once(name, () => new client.Gauge(configuration(name, help, more)))
  const histogram = (name: string, help: string, buckets: number[], ...more: string[]): Histogram =>
    once(name, () => new client.Histogram({ ...configuration(name, help, more), buckets }))

  return {
    rebalances: counter('kafka_consumer_rebalance_total', 'Rebalances completed', 'protocol'),
    durations: histogram(
      'kafka_consumer_rebalance_duration_seconds',
      'Duration of a rebalance as this member saw it, by phase; phase "total" is the whole',
      rebalanceBuckets,
      'phase',
    ),
    assigned: gauge('kafka_consumer_assigned_partitions', 'Partitions assigned now', 'topic'),
    gained: counter('kafka_consumer_partitions_assigned_total', 'Partitions gained'),
    revoked: counter('kafka_consumer_partitions_revoked_total', 'Partitions given up on request'),
    lost: counter('kafka_consumer_partitions_lost_total', 'Partitions taken without a chance to commit'),
    last: gauge('kafka_consumer_last_rebalance_timestamp_seconds', 'Unix time of the last rebalance'),
    callbackErrors: counter(
      'kafka_consumer_callback_errors_total',
      'Callbacks that threw or did not end within their bound',
      'callback',
    ),
    storms: counter('kafka_consumer_rebalance_storms_total', 'Warnings of a rebalance storm'),
    moved: counter(
      'kafka_assignor_partitions_moved_total',
      'Leader: assigned partitions that did not stay with their owner',
    ),
    kept: counter('kafka_assignor_partitions_kept_total', 'Leader: assigned partitions that stayed with their owner'),
    withheld: counter(
      'kafka_assignor_partitions_withheld_total',
      'Leader: partitions planned, and given to nobody until they are given up',
    ),
    minimum: counter(
      'kafka_assignor_minimum_moves_total',
      'Leader: the least moved and withheld partitions that a plan of the same balance could have',
    ),
    planning: histogram('kafka_assignor_plan_duration_seconds', 'Leader: duration of planning', planBuckets),
    imbalance: gauge('kafka_assignor_imbalance', 'Leader: most less fewest partitions of a member in the last plan'),
    imbalanceBefore: gauge(
      'kafka_assignor_imbalance_before',
      'Leader: the same of what was owned before the last plan',
    ),
    stickiness: gauge(
      'kafka_assignor_stickiness_ratio',
      'Leader: in the last plan, of the partitions whose owner is still in the group, the share that stayed with it',
    ),
    rejected: counter('kafka_assignor_claims_rejected_total', 'Leader: claims that were not believed', 'reason'),
    memberChanges: counter(
      'kafka_assignor_member_changes_total',
      'Leader: members that joined, left or changed their subscription since its plan before',
      'change',
    ),
    topicChanges: counter(
      'kafka_assignor_topic_changes_total',
      'Leader: topics that appeared, grew or vanished since its plan before',
      'change',
    ),
    followUps: counter(
      'kafka_assignor_followup_rebalances_total',
      'Leader: rebalances that followed a plan with withheld partitions',
    ),
  }
}

class PrometheusMetrics implements RebalanceMetrics {
  private readonly assignedTo = new WeakMap<object, Map<string, number>>()
  private readonly lastWithheld = new WeakMap<object, number>()

  constructor(private readonly metrics: Metrics) {}

  rebalanced(consumer: object, labels: ConsumerLabels, report: RebalanceReport): void {
    const own = { ...labels }
    this.metrics.rebalances.inc({ ...own, protocol: report.protocol }, 1)
    this.metrics.durations.observe({ ...own, phase: 'total' }, report.durationMs / 1000)
    for (const [phase, ms] of Object.entries(report.phasesMs))
      this.metrics.durations.observe({ ...own, phase }, ms / 1000)
    this.startAtZero(own)
    this.metrics.gained.inc(own, count(report.gained))
    const gone = report.lostMembership ? this.metrics.lost : this.metrics.revoked
    gone.inc(own, count(report.gaveUp))
    this.metrics.last.set(own, Date.now() / 1000)
    this.assign(consumer, own, sizes(report.assigned))
    if (report.plan) this.planned(consumer, own, report.plan)
    else this.lastWithheld.delete(consumer)
  }

  ended(consumer: object, labels: ConsumerLabels): void {
    this.assign(consumer, { ...labels }, new Map())
    this.lastWithheld.delete(consumer)
  }

  callbackFailed(labels: ConsumerLabels, callback: string): void {
    this.metrics.callbackErrors.inc({ ...labels, callback }, 1)
  }

  stormed(labels: ConsumerLabels): void {
    this.metrics.storms.inc({ ...labels }, 1)
  }

  /** A counter that appears with its first event has not grown, to Prometheus: no alert would see that event. */
  private startAtZero(own: Labels): void {
    const { revoked, lost, storms, callbackErrors } = this.metrics
    for (const counter of [revoked, lost, storms]) counter.inc(own, 0)
    for (const callback of callbacks) callbackErrors.inc({ ...own, callback }, 0)
  }

  private planned(consumer: object, own: Labels, plan: GroupPlanReport): void {
    this.metrics.moved.inc(own, plan.moved)
    this.metrics.kept.inc(own, plan.kept)
    this.metrics.withheld.inc(own, plan.withheld)
    this.metrics.minimum.inc(own, plan.minimumMoves)
    this.metrics.planning.observe(own, plan.planMs / 1000)
    this.metrics.imbalance.set(own, plan.balance.max - plan.balance.min)
    this.metrics.imbalanceBefore.set(own, plan.balanceBefore.max - plan.balanceBefore.min)
    const { memberChanges, topicChanges } = this.metrics
    memberChanges.inc({ ...own, change: 'joined' }, plan.joined.length)
    memberChanges.inc({ ...own, change: 'left' }, plan.left.length)
    memberChanges.inc({ ...own, change: 'resubscribed' }, plan.resubscribed.length)
    topicChanges.inc({ ...own, change: 'appeared' }, plan.topicsAppeared.length)
    topicChanges.inc({ ...own, change: 'grown' }, plan.topicsGrown.length)
    topicChanges.inc({ ...own, change: 'vanished' }, plan.topicsVanished.length)
    const hadOwner = plan.kept + plan.transferred + plan.withheld
    this.metrics.stickiness.set(own, hadOwner === 0 ? 1 : plan.kept / hadOwner)
    for (const reason of reasons) this.metrics.rejected.inc({ ...own, reason }, 0)
    for (const { reason, count: claims } of plan.rejectedClaims) this.metrics.rejected.inc({ ...own, reason }, claims)
    this.metrics.followUps.inc(own, (this.lastWithheld.get(consumer) ?? 0) > 0 ? 1 : 0)
    this.lastWithheld.set(consumer, plan.withheld)
  }

  /** By differences, so that consumers with the same labels add up. */
  private assign(consumer: object, own: Labels, now: Map<string, number>): void {
    const before = this.assignedTo.get(consumer) ?? new Map<string, number>()
    for (const topic of new Set([...before.keys(), ...now.keys()]))
      this.metrics.assigned.inc({ ...own, topic }, (now.get(topic) ?? 0) - (before.get(topic) ?? 0))
    this.assignedTo.set(consumer, now)
  }
}

function sizes(byTopic: Readonly<Record<string, readonly number[]>>): Map<string, number> {
  return new Map(Object.entries(byTopic).map(([topic, partitions]) => [topic, partitions.length]))
}

function count(byTopic: Readonly<Record<string, readonly number[]>>): number {
  return Object.values(byTopic).reduce((sum, partitions) => sum + partitions.length, 0)
}
