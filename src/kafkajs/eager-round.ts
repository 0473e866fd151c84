import type { GroupPlanReport, RebalanceReport } from '../report/rebalance-report'
import { partitionsByTopic, subtract } from '../report/topics'
import type { Membership } from './member-state'

/** Figures of one rebalance of an eager member, from its first JoinGroup on. */
export class EagerRound {
  joinMs = 0
  syncMs = 0
  revokeMs = 0
  /** True if what the member held was taken without a chance to commit. */
  lost = false
  private readonly start = performance.now()

  constructor(private readonly reason: string) {}

  report(
    groupId: string,
    before: Membership | null,
    now: Membership,
    plan: GroupPlanReport | null,
    assignMs: number,
  ): RebalanceReport {
    const held = before?.partitions ?? []
    return {
      groupId,
      memberId: now.memberId,
      generation: now.generation,
      strategy: now.protocol,
      protocol: 'eager',
      role: now.role,
      reason: this.reason,
      durationMs: performance.now() - this.start,
      phasesMs: {
        join: this.joinMs,
        plan: plan?.planMs ?? 0,
        sync: this.syncMs,
        revoke: this.revokeMs,
        assign: assignMs,
      },
      assigned: partitionsByTopic(now.partitions),
      gained: partitionsByTopic(subtract(now.partitions, held)),
      gaveUp: partitionsByTopic(subtract(held, now.partitions)),
      lostMembership: this.lost,
      plan,
    }
  }
}
