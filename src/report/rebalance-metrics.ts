import type { RebalanceReport } from './rebalance-report'

/** Never a member id: those are new with every start, and a label with no bound fills a time series database. */
export interface ConsumerLabels {
  readonly group_id: string
  readonly client_id: string
}

/**
 * Where the numbers of a consumer go: the `metrics` option of all factories. `prometheusMetrics` of the entry point
 * `./metrics` makes one for prom-client.
 *
 * `consumer` tells consumers of one process apart that have the same labels; hold it weakly.
 */
export interface RebalanceMetrics {
  rebalanced(consumer: object, labels: ConsumerLabels, report: RebalanceReport): void
  /** The consumer left the group or ended: it has no partitions any more. */
  ended(consumer: object, labels: ConsumerLabels): void
  callbackFailed(labels: ConsumerLabels, callback: string): void
  /** The watch for rebalance storms gave its warning. */
  stormed(labels: ConsumerLabels): void
}
