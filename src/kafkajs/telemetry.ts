import { publishRebalance } from '../report/channels'
import type { ConsumerLabels, RebalanceMetrics } from '../report/rebalance-metrics'
import type { RebalanceReport } from '../report/rebalance-report'
import { type StormLimits, StormWatch } from '../report/storm-watch'
import { describeError } from './callbacks'
import type { ConsumerSession } from './consumer-session'

/** What a consumer tells beyond its log lines: metrics, the diagnostics channel, the warning of a storm. Never throws. */
export class Telemetry {
  private storms: { limits: StormLimits | undefined; watch: StormWatch } | null = null
  private warnedOfMetrics = false

  constructor(private readonly session: ConsumerSession) {}

  rebalanced(report: RebalanceReport): void {
    this.measure(metrics => metrics.rebalanced(this.session, this.labels(report.memberId), report))
    publishRebalance(report)
    this.watchForStorm(report)
  }

  left(): void {
    this.measure(metrics => metrics.ended(this.session, this.labels()))
  }

  callbackFailed(callback: string): void {
    this.measure(metrics => metrics.callbackFailed(this.labels(), callback))
  }

  private watchForStorm(report: RebalanceReport): void {
    const { stormWatch } = this.session.options
    if (stormWatch === false) return
    if (this.storms?.limits !== stormWatch) this.storms = null
    this.storms ??= { limits: stormWatch, watch: new StormWatch(stormWatch) }
    const storm = this.storms.watch.observe(report, Date.now())
    if (!storm) return
    const { rebalances, partition, moves, windowMs, cause } = storm
    const { groupId, log } = this.session
    const minutes = Math.round(windowMs / 6000) / 10
    log.warn(
      { event: 'rebalance-storm', groupId, rebalances, windowMs, partition, moves, cause },
      `The group rebalanced ${rebalances} times in ${minutes} minutes` +
        (partition ? `, ${partition} came or went ${moves} times` : '') +
        `; likely: ${cause}`,
    )
    this.measure(metrics => metrics.stormed(this.labels(report.memberId)))
  }

  private measure(tell: (metrics: RebalanceMetrics) => void): void {
    const { metrics } = this.session.options
    if (!metrics) return
    try {
      tell(metrics)
    } catch (error) {
      if (this.warnedOfMetrics) return
      this.warnedOfMetrics = true
      const { log, groupId } = this.session
      log.error({ event: 'metrics-failed', groupId, error: describeError(error) }, 'Metrics could not be recorded')
    }
  }

  private labels(memberId = this.session.state.membership?.memberId ?? ''): ConsumerLabels {
    const known = this.session.coordinator?.connectionPool?.clientId
    return {
      group_id: this.session.groupId,
      client_id: typeof known === 'string' ? known : clientIdOf(memberId),
    }
  }
}

/** Kafka makes member ids of the client id, a dash and a UUID; in a group of the new protocol they are a UUID alone. */
function clientIdOf(memberId: string): string {
  return /^(.*)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/s.exec(memberId)?.[1] ?? ''
}
