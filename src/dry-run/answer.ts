import type { Plan, PlanReport, RejectedClaims, Strategy, TopicPartitions } from '../planner/types'
import type { MetadataProblem } from './read-request'

/** Partitions by topic. */
export type PartitionsByTopic = Record<string, readonly number[]>

/** The answer to a plan request, as JSON writes it. */
export interface PlanAnswer {
  readonly strategy: Strategy
  /** What each member is given in this round; every member is there. */
  readonly assignment: Record<string, PartitionsByTopic>
  readonly kept: number
  readonly moved: number
  readonly transferred: number
  readonly unclaimed: number
  /** For each intended owner what it must wait for (`cooperative-sticky`). Members that wait for nothing are left out. */
  readonly withheld: Record<string, PartitionsByTopic>
  /** Believed claims that a member does not keep. Members that keep everything are left out. */
  readonly revoked: Record<string, PartitionsByTopic>
  readonly minimumMoves: number
  readonly balance: PlanReport['balance']
  readonly balanceBefore: PlanReport['balanceBefore']
  readonly spread: PlanReport['spread']
  readonly rackMismatches: number
  readonly rejectedClaims: readonly RejectedClaims[]
  /** Subscribed topics without partitions in the request. */
  readonly missingTopics: readonly string[]
  /** Members whose metadata could not be read as a whole. */
  readonly metadataProblems: readonly MetadataProblem[]
  /** One line for each moved or withheld partition, if the request asked for it. */
  readonly reasons?: readonly string[]
  /** Milliseconds from the parsed request to the plan. */
  readonly planMs: number
}

export function answerOf(
  plan: Plan,
  metadataProblems: readonly MetadataProblem[],
  withReasons: boolean,
  planMs: number,
): PlanAnswer {
  const { report, memberIds } = plan
  return {
    strategy: report.strategy,
    assignment: byMember(memberIds, id => plan.assignment(id)),
    kept: report.kept,
    moved: report.moved,
    transferred: report.transferred,
    unclaimed: report.unclaimed,
    withheld: byMember(memberIds, id => plan.withheld(id), 'without empty ones'),
    revoked: byMember(memberIds, id => plan.revoked(id), 'without empty ones'),
    minimumMoves: report.minimumMoves,
    balance: report.balance,
    balanceBefore: report.balanceBefore,
    spread: report.spread,
    rackMismatches: report.rackMismatches,
    rejectedClaims: report.rejectedClaims,
    missingTopics: report.missingTopics,
    metadataProblems,
    ...(withReasons ? { reasons: plan.reasons() } : {}),
    planMs,
  }
}

function byMember(
  memberIds: readonly string[],
  listsOf: (memberId: string) => readonly TopicPartitions[],
  mode?: 'without empty ones',
): Record<string, PartitionsByTopic> {
  const entries: [string, PartitionsByTopic][] = []
  for (const memberId of memberIds) {
    const lists = listsOf(memberId)
    if (mode && lists.length === 0) continue
    // fromEntries makes `__proto__` a name like any other.
    entries.push([memberId, Object.fromEntries(lists.map(({ topic, partitions }) => [topic, partitions]))])
  }
  return Object.fromEntries(entries)
}
