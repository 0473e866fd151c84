import type { TopicPartitions } from '../../protocol'
import type { RebalanceReport } from '../../report/rebalance-report'
import { partitionsByTopic } from '../../report/topics'
import { describeError } from '../callbacks'
import type { ConsumerSession } from '../consumer-session'
import { roleOf } from '../member-state'
import { tellRebalance } from '../tell-rebalance'
import type { Tier } from './choices'
import type { Change, Ownership } from './fence'
import type { Round } from './membership-ports'
import type { PartitionCallbacks } from './partition-callbacks'
import { listOf } from './partition-key'

/** Says what happens to a cooperative member: to the log, to the user's onRebalance, to the session's state. */
export class RoundReporter {
  /** Partitions that the leader, if it is this member, withheld from the group in the last round. */
  lastWithheld = 0
  private warnedOfListener = false
  private warnedOfCommit = false

  constructor(
    private readonly session: ConsumerSession,
    private readonly callbacks: PartitionCallbacks,
    private readonly tier: () => Tier,
  ) {}

  synced(round: Round, partitions: readonly TopicPartitions[], change: Change): void {
    const { session } = this
    const { memberId, generation, leaderId, protocol, reason } = round
    const role = roleOf(leaderId, memberId)
    this.warnedOfCommit = false
    session.state.joined(generation)
    session.state.synced({ memberId, generation, role, protocol, partitions })
    if (role !== 'leader') session.watch.stop()
    const planned = session.leader.takePlan()
    // A follower may have planned a round that never came into force.
    const plan = role === 'leader' ? planned : null
    this.lastWithheld = plan?.withheld ?? 0
    const spent = this.callbacks.takeSpent()
    const report: RebalanceReport = {
      groupId: session.groupId,
      memberId,
      generation,
      strategy: protocol,
      protocol: `cooperative-${this.tier()}`,
      role,
      reason,
      durationMs: Date.now() - round.startedAt,
      phasesMs: { join: round.joinMs, plan: plan?.planMs ?? 0, sync: round.syncMs, ...spent },
      assigned: partitionsByTopic(partitions),
      gained: byTopic(change.gained),
      gaveUp: byTopic(change.revoked),
      lostMembership: round.afterLoss,
      plan,
    }
    tellRebalance(session, report)
  }

  lost(reason: string, lost: readonly Ownership[]): void {
    this.warn(
      { event: 'partitions-lost', reason, partitions: lost.length },
      `Lost the membership and ${lost.length} partitions (${reason}); joining again`,
    )
  }

  fellBack(missing: string): void {
    this.warn(
      { event: 'tier-surfaced', missing },
      `Changed assignments reach kafkajs by a local join instead of in place: not found, or not as expected: ${missing}`,
    )
  }

  eagerInstead(missing: string): void {
    this.warn(
      { event: 'eager-instead', missing },
      `Takes part eagerly instead of cooperatively: not found in kafkajs: ${missing}`,
    )
  }

  commitFailed(error: unknown): void {
    this.warn(
      { event: 'commit-failed', error: describeError(error) },
      'An automatic commit failed after the handler had gone on; the next one covers it',
    )
  }

  /** Once in each round. */
  commitDropped(topic: string, partition: number): void {
    if (this.warnedOfCommit) return
    this.warnedOfCommit = true
    this.warn(
      { event: 'commit-dropped', topic, partition },
      `A commit for ${topic}-${partition} was left out: the partition does not belong to this member any more`,
    )
  }

  /** Says it soon, and then ever more seldom. */
  unreachable(error: unknown, failures: number): void {
    if (failures < 4 || (failures & (failures - 1)) !== 0) return
    this.warn(
      { event: 'coordinator-unreachable', failures, error: describeError(error) },
      `The coordinator of the group has not answered ${failures} attempts to join; trying on`,
    )
  }

  listenerFailed(error: unknown): void {
    if (this.warnedOfListener) return
    this.warnedOfListener = true
    this.warn(
      { event: 'listener-failed', error: describeError(error) },
      'A listener of a consumer event threw; the group goes on',
    )
  }

  private warn(fields: Record<string, string | number>, message: string): void {
    this.session.log.warn({ ...fields, groupId: this.session.groupId }, message)
  }
}

const byTopic = (ownerships: readonly Ownership[]) => partitionsByTopic(listOf(ownerships.map(({ key }) => key)))

/** The error of a commit for a partition that is not this member's, where the user wants one. */
export function foreignCommit(topic: string, partition: number): Error {
  return Object.assign(new Error(`${topic}-${partition} does not belong to this member any more; nothing committed`), {
    name: 'StickyAssignorForeignCommit',
    // kafkajs would try again five times.
    retriable: false,
  })
}
