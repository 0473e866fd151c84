import type { TopicPartitions } from '../protocol'
import type { Role } from '../report/rebalance-report'

/** What the last successful SyncGroup gave to this member. */
export interface Membership {
  readonly memberId: string
  /** Of that SyncGroup, never of a JoinGroup whose SyncGroup failed (KAFKA-13419, KAFKA-14639). */
  readonly generation: number
  readonly role: Role
  /** Name of the protocol that the broker chose, ours or not. */
  readonly protocol: string
  /** Topics and partitions ascending. */
  readonly partitions: readonly TopicPartitions[]
}

/**
 * Why the group has to be joined anew.
 * `lost`: the coordinator forgot this member or moved on without it, so others may own its partitions already.
 */
export type Signal = { readonly kind: 'rebalance' | 'lost'; readonly reason: string }

/**
 * What one consumer knows of its own membership. One per consumer, whatever assigners are in its list and whichever
 * the broker chooses. It outlives stop() + run() and a crash: what was held last is what the member claims next.
 */
export class MemberState {
  /** The last assignment: what the member claims. Null before the first. */
  membership: Membership | null = null
  /** True from SyncGroup until the partitions are revoked, lost or left: the member may be working on them. */
  holding = false
  /** Set while the group has to be joined anew; null while it is at rest. */
  signal: Signal | null = { kind: 'rebalance', reason: 'first join' }
  /** Called when the member has left. */
  onLeft: () => void = () => {}
  /** Generation of the last JoinGroup answer; its SyncGroup may still fail. */
  joinedGeneration = -1
  /** True once any answer said that the membership may be over, even one to an older generation. */
  doubted = false

  /** Notes that a rebalance is due. A loss is not weakened by later signals. */
  raise(kind: Signal['kind'], reason: string): void {
    if (this.signal?.kind !== 'lost') this.signal = { kind, reason }
  }

  /**
   * Takes what the answer of a heartbeat, commit, join or sync says about the membership.
   * `generation` is the one that the request carried, if any: the answer to a request of an older generation says
   * nothing about the present one.
   */
  observeError(error: unknown, generation?: number): void {
    const type = (error as { type?: unknown } | null)?.type
    const rebalance = type === 'REBALANCE_IN_PROGRESS'
    const lost = type === 'UNKNOWN_MEMBER_ID' || type === 'ILLEGAL_GENERATION' || type === 'FENCED_INSTANCE_ID'
    if (!rebalance && !lost) return
    this.doubted = true
    if (generation !== undefined && generation !== this.joinedGeneration) return
    if (rebalance) this.raise('rebalance', 'the group is rebalancing')
    else this.raise('lost', `the coordinator answered ${type as string}`)
  }

  joined(generation: number): void {
    this.joinedGeneration = generation
  }

  synced(membership: Membership): void {
    this.membership = membership
    this.holding = true
    this.signal = null
    this.doubted = false
  }

  /** The member left, or its connection to the cluster ended: the next join is a first one. */
  left(reason: string): void {
    this.signal = { kind: 'rebalance', reason }
    this.joinedGeneration = -1
    this.onLeft()
  }

  /** What the member claims, limited to these topics. */
  claims(topics: readonly string[]): TopicPartitions[] {
    const subscribed = new Set(topics)
    return this.membership?.partitions.filter(({ topic }) => subscribed.has(topic)) ?? []
  }
}

/** A member's part in its group, by the answer of JoinGroup. */
export function roleOf(leaderId: string | null, memberId: string): Role {
  if (!leaderId) return 'broker-assigned'
  return leaderId === memberId ? 'leader' : 'follower'
}
