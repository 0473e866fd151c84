import type { LogFields } from './logger'
import type { GroupPlanReport, RebalanceReport } from './rebalance-report'
import { describePartitions, type PartitionsByTopic } from './topics'

export interface LogLine {
  readonly fields: LogFields
  readonly message: string
}

/** The leader's line: what the rebalance did to the group. */
export function rebalanceLine(report: RebalanceReport, plan: GroupPlanReport): LogLine {
  const { moved, kept, transferred, unclaimed, withheld, minimumMoves, members, partitions } = plan
  const durationMs = Math.round(report.durationMs)
  return {
    fields: {
      event: 'rebalance',
      ...common(report),
      members,
      partitions,
      moved,
      kept,
      transferred,
      unclaimed,
      withheld,
      minimumMoves,
      balanceMin: plan.balance.min,
      balanceMax: plan.balance.max,
      balanceMinBefore: plan.balanceBefore.min,
      balanceMaxBefore: plan.balanceBefore.max,
      spread: plan.spread.sumOfSquares,
      durationMs,
      planMs: tenths(plan.planMs),
      reason: reasonOf(report, plan),
      ...rejectedFields(plan),
      ...(plan.missingTopics.length > 0 ? { missingTopics: list(plan.missingTopics) } : {}),
      ...(plan.unreadableMembers.length > 0
        ? { unreadableMembers: list(plan.unreadableMembers.map(member => member.memberId)) }
        : {}),
      ...(plan.fallback ? { fallback: 'round robin' } : {}),
    },
    message:
      `Rebalanced ${partitions} ${plural('partition', partitions)} over ${members} ${plural('member', members)}: ` +
      `moved ${moved} (minimum ${minimumMoves}), kept ${kept}` +
      (withheld > 0 ? `, withheld ${withheld} until they are given up` : '') +
      `, in ${durationMs} ms`,
  }
}

/** Every member's line: what it was given, gave up or lost. */
export function assignmentLine(report: RebalanceReport): LogLine {
  const assigned = count(report.assigned)
  const gained = count(report.gained)
  const gaveUp = count(report.gaveUp)
  const taken = report.lostMembership ? 'lost' : 'gave up'
  return {
    fields: {
      event: 'assignment',
      ...common(report),
      role: report.role,
      assigned,
      kept: assigned - gained,
      gained,
      [report.lostMembership ? 'lost' : 'gaveUp']: gaveUp,
      partitions: describe(report.assigned),
      ...(gained > 0 ? { gainedPartitions: describe(report.gained) } : {}),
      ...(gaveUp > 0 ? { [`${report.lostMembership ? 'lost' : 'gaveUp'}Partitions`]: describe(report.gaveUp) } : {}),
      durationMs: Math.round(report.durationMs),
      reason: report.reason,
    },
    message:
      `Assigned ${assigned} ${plural('partition', assigned)}: kept ${assigned - gained}, gained ${gained}, ` +
      `${taken} ${gaveUp}` +
      (report.role === 'broker-assigned' ? '; the broker assigns this group (KIP-848), strategies do not apply' : ''),
  }
}

/** A part of a line about names that a group may have thousands of. */
export function list(names: readonly string[], limit = 10): string {
  return names.length > limit
    ? `${names.slice(0, limit).join(', ')} and ${names.length - limit} more`
    : names.join(', ')
}

function common({ groupId, memberId, generation, strategy, protocol }: RebalanceReport): LogFields {
  return { groupId, memberId, generation, strategy, protocol }
}

function reasonOf(report: RebalanceReport, plan: GroupPlanReport): string {
  // The watch of the topics has said it already, with the counts.
  const isNews = (topic: string) => !report.reason.includes(`topic ${topic} `)
  const changes = {
    joined: plan.joined,
    left: plan.left,
    'changed subscription': plan.resubscribed,
    'topics appeared': plan.topicsAppeared.filter(isNews),
    'topics grew': plan.topicsGrown.filter(isNews),
    'topics vanished': plan.topicsVanished.filter(isNews),
  }
  const parts = Object.entries(changes).filter(([, names]) => names.length > 0)
  return [report.reason, ...parts.map(([what, names]) => `${what}: ${list(names)}`)].join('; ')
}

function rejectedFields(plan: GroupPlanReport): LogFields {
  if (plan.rejectedClaims.length === 0) return {}
  const byReason = new Map<string, number>()
  for (const { reason, count } of plan.rejectedClaims) byReason.set(reason, (byReason.get(reason) ?? 0) + count)
  return {
    rejectedClaims: plan.rejectedClaims.reduce((sum, { count }) => sum + count, 0),
    rejectedReasons: [...byReason].map(([reason, count]) => `${reason} ${count}`).join(', '),
  }
}

const count = (byTopic: PartitionsByTopic) =>
  Object.values(byTopic).reduce((sum, partitions) => sum + partitions.length, 0)
const describe = (byTopic: PartitionsByTopic) =>
  describePartitions(Object.entries(byTopic).map(([topic, partitions]) => ({ topic, partitions })))
const plural = (word: string, n: number) => (n === 1 ? word : `${word}s`)
const tenths = (ms: number) => Math.round(ms * 10) / 10
