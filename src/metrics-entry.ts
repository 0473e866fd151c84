/** Entry point `kafkajs-sticky-assignor/metrics`: rebalances as metrics on your own prom-client. */
export {
  type PrometheusClient,
  type PrometheusOptions,
  type PrometheusRegistry,
  prometheusMetrics,
} from './report/prometheus'
export type { ConsumerLabels, RebalanceMetrics } from './report/rebalance-metrics'
