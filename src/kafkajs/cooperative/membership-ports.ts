import type { GroupMember, MemberAssignment } from '../internals'

/** What kafkajs was configured with; it tells with its first JoinGroup. */
export interface GroupConfig {
  readonly groupId: string
  readonly sessionTimeout: number
  readonly rebalanceTimeout: number
}

/** The outcome of one round of the group. */
export interface Round {
  readonly memberId: string
  readonly generation: number
  /** Empty where the broker assigns (KIP-848). */
  readonly leaderId: string
  readonly protocol: string
  readonly assignment: Buffer
  readonly reason: string
  /** This member had been told that it is no member any more. */
  readonly afterLoss: boolean
  readonly startedAt: number
  readonly joinMs: number
  readonly syncMs: number
}

export interface MembershipPorts {
  /** Waits a moment for what is just being handed over, so that the metadata no longer claim it. */
  beforeJoin(): Promise<void>
  /** The protocol and the metadata of this member as they are now. */
  protocol(): { name: string; metadata: Buffer }
  /** The leader's plan. Never rejects. */
  plan(members: readonly GroupMember[]): Promise<MemberAssignment[]>
  /** From here to `synced` or `unsynced` the coordinator refuses commits. */
  joined(): void
  synced(round: Round): void
  unsynced(): void
  /** What this member owned may belong to others already. */
  lost(reason: string): void
  /** An error that joining again does not cure. */
  failed(error: unknown): void
  /** Why this member wants a rebalance by itself, once; asked at each heartbeat, and where a round is that rebalance. */
  wantsRejoin(): string | null
  /** kafkajs or a handler has made no progress for too long. */
  isStuck(): boolean
  /** The coordinator could not be reached so many times in a row. */
  unreachable(error: unknown, failures: number): void
}
