import { type Check, hasMethods, validateAgainst } from '../option-checks'
import type { FieldsFirstLogger } from '../report/logger'
import type { RebalanceMetrics } from '../report/rebalance-metrics'
import type { RebalanceReport } from '../report/rebalance-report'
import type { StormLimits } from '../report/storm-watch'
import type { PartitionsCallback } from './callbacks'

/** Options of all factories. Those of several assigners in one `partitionAssigners` are merged, the first wins. */
export interface AssignorOptions {
  /**
   * pino, or anything with `info`, `warn` and `error` called as (fields, message). Without it the lines go to the
   * consumer's kafkajs logger under the namespace `StickyAssignor`.
   */
  readonly logger?: FieldsFirstLogger | undefined
  /** Called with a report after each rebalance, on every member; not awaited. */
  readonly onRebalance?: ((report: RebalanceReport) => void | Promise<void>) | undefined
  /**
   * Called before partitions are given up, when offsets can still be committed; awaited for at most half of the
   * session timeout. At `stop()` and `disconnect()` kafkajs has ended by then and its `commitOffsets` does nothing: commit
   * before you call them. As with Java's eager assignors everything is revoked before each rejoin, kept partitions too.
   */
  readonly onPartitionsRevoked?: PartitionsCallback | undefined
  /** Called with all partitions of a new assignment, none included, before the first record of any of them. */
  readonly onPartitionsAssigned?: PartitionsCallback | undefined
  /** Called instead of `onPartitionsRevoked` when the membership was lost: others may already own the partitions. */
  readonly onPartitionsLost?: PartitionsCallback | undefined
  /** `client.rack` (KIP-881): the rack of this consumer, matched with the racks of the brokers. */
  readonly rackId?: string | undefined
  /** Where the numbers go: `prometheusMetrics({ client })` of `kafkajs-sticky-assignor/metrics`, or one of your own. */
  readonly metrics?: RebalanceMetrics | undefined
  /** When a warning says that the group rebalances too often; `false` for never. */
  readonly stormWatch?: StormLimits | false | undefined
}

type Checks = { readonly [Name in keyof AssignorOptions]-?: Check }

const aFunction: Check = value => (typeof value === 'function' ? undefined : 'a function')

const checks: Checks = {
  logger: value =>
    hasMethods(value, 'info', 'warn', 'error')
      ? undefined
      : 'a logger in the shape of pino: info, warn and error, each (fields, message) => void',
  onRebalance: aFunction,
  onPartitionsRevoked: aFunction,
  onPartitionsAssigned: aFunction,
  onPartitionsLost: aFunction,
  metrics: value =>
    hasMethods(value, 'rebalanced', 'ended', 'callbackFailed', 'stormed')
      ? undefined
      : 'metrics as prometheusMetrics() makes them: rebalanced, ended, callbackFailed and stormed',
  stormWatch: value =>
    value === false || isStormLimits(value)
      ? undefined
      : 'false, or an object of positive numbers: rebalances, moves, windowMs',
  rackId: value => (typeof value === 'string' && value !== '' ? undefined : 'a non-empty string'),
}

/** Throws a `StickyAssignorError` that names the option at fault and what would be right. */
export function validateOptions(
  factory: string,
  options: unknown,
  allowed: Readonly<Record<string, Check>> = checks,
): AssignorOptions {
  return options === undefined ? {} : validateAgainst(factory, options, allowed)
}

/** The checks of the options that all factories share. */
export const commonChecks: Checks = checks

/** Options of several assigners of one consumer: the first that sets one decides. */
export function mergeOptions(first: AssignorOptions, second: AssignorOptions): AssignorOptions {
  const merged: Record<string, unknown> = { ...second }
  for (const [name, value] of Object.entries(first)) if (value !== undefined) merged[name] = value
  return merged
}

function isStormLimits(value: unknown): value is StormLimits {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const positive = (limit: unknown) => limit === undefined || (typeof limit === 'number' && limit > 0)
  return Object.entries(value).every(
    ([name, limit]) => ['rebalances', 'moves', 'windowMs'].includes(name) && positive(limit),
  )
}
