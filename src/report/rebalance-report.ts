import type { PlanReport } from '../planner/types'
import type { PartitionsByTopic } from './topics'

/** Who computed the assignment, from this member's point of view. */
export type Role =
  | 'leader'
  | 'follower'
  /** The broker did: a member of the new consumer protocol (KIP-848) is in the group. */
  | 'broker-assigned'

/** One rebalance as one member saw it; the same value for every rendering (log, events, metrics). */
export interface RebalanceReport {
  readonly groupId: string
  readonly memberId: string
  readonly generation: number
  /** Name of the protocol that the broker chose, ours or not. */
  readonly strategy: string
  readonly protocol: 'eager' | 'cooperative-in-place' | 'cooperative-surfaced'
  readonly role: Role
  /** Why the member joined anew, as far as it knows; for people. */
  readonly reason: string
  /** From the first JoinGroup of this rebalance to the answer of SyncGroup, callbacks included. */
  readonly durationMs: number
  readonly phasesMs: {
    /** Waiting for the JoinGroup answer, which comes when all members have joined. */
    readonly join: number
    /** Planning, 0 unless leader. */
    readonly plan: number
    /** Waiting for the SyncGroup answer, which comes when the leader has planned. */
    readonly sync: number
    /** `onPartitionsRevoked` or `onPartitionsLost`. */
    readonly revoke: number
    /** `onPartitionsAssigned`. */
    readonly assign: number
  }
  /** What this member has now. */
  readonly assigned: PartitionsByTopic
  /** What it has now and did not have before. */
  readonly gained: PartitionsByTopic
  /** What it had before and does not have now. */
  readonly gaveUp: PartitionsByTopic
  /** True if what it had before was taken without a chance to commit. */
  readonly lostMembership: boolean
  /** The group's plan, on the leader that computed it. */
  readonly plan: GroupPlanReport | null
}

/** What the plan does to the group, and what the leader knows beyond it. */
export interface GroupPlanReport extends PlanReport {
  /** From the members' metadata to the bytes for SyncGroup, the question for the topics' partitions included. */
  readonly planMs: number
  /** True if planning failed and a plain round robin over the subscriptions was sent instead. */
  readonly fallback: boolean
  /** Members whose metadata could not be read, in full or in part. */
  readonly unreadableMembers: readonly UnreadableMember[]
  /** Members that were not in the last plan of this leader; empty at its first plan, as are the next five. */
  readonly joined: readonly string[]
  readonly left: readonly string[]
  /** Members that subscribe other topics than then. */
  readonly resubscribed: readonly string[]
  /** Topics with partitions that somebody subscribes, and that were not so then. */
  readonly topicsAppeared: readonly string[]
  /** Topics that have more partitions than then. */
  readonly topicsGrown: readonly string[]
  /** Topics that are gone, or that nobody subscribes any more. */
  readonly topicsVanished: readonly string[]
}

/** A member whose metadata could not be read, in full or in part. */
export interface UnreadableMember {
  readonly memberId: string
  readonly reason: string
  /** True if its topics could be read, so that it takes part without its claims. */
  readonly topicsKnown: boolean
}
