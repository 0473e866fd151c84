import { channel, tracingChannel } from 'node:diagnostics_channel'
import type { RebalanceReport } from './rebalance-report'

/** What the tracing channel `kafkajs-sticky-assignor:plan` tells of; OpenTelemetry can make a span of it. */
export interface PlanTrace {
  readonly groupId: string
  readonly strategy: string
  readonly members: number
}

const plans = tracingChannel<string, PlanTrace>('kafkajs-sticky-assignor:plan')
const rebalances = channel('kafkajs-sticky-assignor:rebalance')

/** Runs `plan` inside the tracing channel; without a subscriber it is only called. */
export function tracePlan<Result>(trace: PlanTrace, plan: () => Promise<Result>): Promise<Result> {
  return anySubscribers() ? plans.tracePromise(plan, trace) : plan()
}

/** Publishes the report on `kafkajs-sticky-assignor:rebalance`. */
export function publishRebalance(report: RebalanceReport): void {
  if (rebalances.hasSubscribers) rebalances.publish(report)
}

function anySubscribers(): boolean {
  const { start, end, asyncStart, asyncEnd, error } = plans
  return [start, end, asyncStart, asyncEnd, error].some(each => each.hasSubscribers)
}
