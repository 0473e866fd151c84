import type { AssignorOptions } from '../options'
import type { ForeignCommits, TierChoice } from './choices'

/** Options of `cooperativeStickyAssignor`. All but the common ones count only while the consumer is cooperative. */
export interface CooperativeOptions extends AssignorOptions {
  /**
   * How often this member tells the coordinator that it lives, in ms; default 500. In the background, whatever the
   * handlers do. Also how soon it hears of a rebalance that others start. Never more than a third of the session.
   */
  readonly heartbeatIntervalMs?: number | undefined
  /**
   * When kafkajs does nothing for so long, or a handler makes no progress (a next message taken, a commit of its partition,
   * its end; a call of `heartbeat()` is none), the member leaves the group by itself, in ms; default 300000, as
   * max.poll.interval.ms of Java's consumer.
   */
  readonly maxPollIntervalMs?: number | undefined
  /**
   * A member that has to give up several partitions hands them over together, once no handler works on any of them. If
   * some are still being worked on after this long, in ms, the others go ahead; default 500. A partition is never
   * handed over while its handler runs.
   */
  readonly drainTimeoutMs?: number | undefined
  /**
   * The longest that a fetch waits for records, in ms; default 500. The smaller of this and `maxWaitTimeInMs` counts.
   * A fetch that waits is what stop() and a newly assigned partition have to wait for.
   */
  readonly fetchMaxWaitMs?: number | undefined
  /**
   * Records of one partition that are handed to a handler at a time; default 100, 0 for as many as were fetched. What
   * is left is handed out next, without a fetch. Bounds how long a partition's backlog holds up the other partitions
   * of its broker, and how long a hand-over waits for a running `eachBatch`.
   */
  readonly maxRecordsPerFetch?: number | undefined
  /**
   * What a commit of the user's own does for a partition that is no longer this member's: 'drop' (default) leaves it
   * out and counts it, 'throw' makes the commit fail. Automatic commits are always dropped.
   */
  readonly foreignCommits?: ForeignCommits | undefined
  /**
   * How kafkajs learns of a changed assignment: 'in-place' without a pause, which needs some of its internals,
   * 'surfaced' by joining again locally. Default 'auto': in place, or surfaced with one warning that says what was
   * missing.
   */
  readonly tier?: TierChoice | undefined
}

type Check = (value: unknown) => string | undefined

function milliseconds(least: number): Check {
  return value =>
    Number.isInteger(value) && (value as number) >= least && (value as number) < 2 ** 31
      ? undefined
      : `a whole number of milliseconds, ${least} or more`
}

function oneOf(...choices: string[]): Check {
  return value => (choices.includes(value as string) ? undefined : choices.map(each => `'${each}'`).join(' or '))
}

export const cooperativeChecks: Record<Exclude<keyof CooperativeOptions, keyof AssignorOptions>, Check> = {
  heartbeatIntervalMs: milliseconds(20),
  maxPollIntervalMs: milliseconds(1),
  drainTimeoutMs: milliseconds(0),
  fetchMaxWaitMs: milliseconds(1),
  maxRecordsPerFetch: value =>
    Number.isInteger(value) && (value as number) >= 0 ? undefined : 'a whole number of records, 0 for no limit',
  foreignCommits: oneOf('drop', 'throw'),
  tier: oneOf('auto', 'in-place', 'surfaced'),
}

/** The options with their defaults. */
export function withDefaults(options: CooperativeOptions) {
  return {
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 500,
    maxPollIntervalMs: options.maxPollIntervalMs ?? 300_000,
    drainTimeoutMs: options.drainTimeoutMs ?? 500,
    fetchMaxWaitMs: options.fetchMaxWaitMs ?? 500,
    maxRecordsPerFetch: options.maxRecordsPerFetch ?? 100,
    foreignCommits: options.foreignCommits ?? 'drop',
    tier: options.tier ?? 'auto',
  }
}
