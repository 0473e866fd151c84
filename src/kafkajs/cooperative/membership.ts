import type { Coordinator } from './coordinator'
import { deferred, Naps, within } from './deferred'
import { forgetsMember, isLoss, isPassing, isRebalancing } from './errors'
import { Heartbeats } from './heartbeats'
import type { GroupConfig, MembershipPorts } from './membership-ports'

const farewellMs = 3000
/**
 * Between two rounds: the others may still be on their way with SyncGroup, and would learn what they have to give up in
 * the next round only.
 */
const breathMs = 25
/** Without an answer for longer than this the coordinator counts as out of reach. */
const silenceMs = 3000

/**
 * This member's part in the group, kept up in the background: joins and rejoins, heartbeats, leaves. One JoinGroup is
 * under way at a time, and what a newer state has overtaken is ignored.
 */
export class Membership {
  /** Set once JoinGroup has named it, even if its SyncGroup fails: a second id would leave a ghost in the group. */
  memberId = ''
  leaderId = ''
  /** Of the last JoinGroup answer: what heartbeats and commits carry. -1 while there is no membership. */
  generation = -1
  /** 'expired': it has left because kafkajs was stuck, and joins again when that is over. */
  state: 'out' | 'in' | 'expired' = 'out'
  private config: GroupConfig | null = null
  private joining: Promise<void> | null = null
  private roundEnd = deferred<void>()
  private again: string | null = null
  private readonly heartbeats: Heartbeats
  private lastContact = 0
  private lossSinceRound = false
  private syncedAt = 0
  private readonly naps = new Naps()

  constructor(
    private readonly coordinator: Coordinator,
    private readonly ports: MembershipPorts,
    heartbeatIntervalMs: () => number,
  ) {
    this.heartbeats = new Heartbeats(heartbeatIntervalMs, () => this.beat())
  }

  get isLeader(): boolean {
    return this.leaderId !== '' && this.leaderId === this.memberId
  }

  get isJoining(): boolean {
    return this.joining !== null
  }

  /** In ms; until kafkajs tells, its default. */
  get sessionTimeout(): number {
    return this.config?.sessionTimeout ?? 30_000
  }

  get rebalanceTimeout(): number {
    return this.config?.rebalanceTimeout ?? 60_000
  }

  /** False once the coordinator may have given this member up without our having heard of it. */
  get leaseHolds(): boolean {
    return this.config !== null && Date.now() - this.lastContact <= this.config.sessionTimeout
  }

  /** Joins for the first time. Resolves after the first round; failures go to `ports.failed`. */
  start(config: GroupConfig): Promise<void> {
    this.config = config
    this.state = 'in'
    this.lossSinceRound = false
    this.coordinator.open()
    this.heartbeats.start()
    return this.join('first join')
  }

  /** Joins again, in the background. While a join is under way, another follows it. */
  join(reason: string): Promise<void> {
    if (this.state === 'expired') this.state = 'in'
    if (this.joining) {
      this.again ??= reason
      return this.joining
    }
    const joining = this.untilJoined(reason)
      .catch(error => {
        if (this.state !== 'out') this.ports.failed(error)
      })
      .finally(() => {
        this.joining = null
        this.endRound()
        const next = this.again
        this.again = null
        if (next && this.state === 'in') void this.join(next)
      })
    this.joining = joining
    return joining
  }

  /** Waits for the join that is under way, if any. */
  async joinedOrFailed(): Promise<void> {
    while (this.joining) await this.joining
  }

  /** Waits for the end of the round that is under way, if any, but for none that follows it. */
  async roundOver(): Promise<void> {
    if (this.joining) await this.roundEnd.promise
  }

  /**
   * Takes an error that the coordinator answered to a request of this generation. Rejoins where that is needed.
   * Returns false if it says nothing about the membership.
   */
  refused(error: unknown, generation: number): boolean {
    if (!isRebalancing(error) && !isLoss(error)) return false
    // A commit that was sent just before the generation moved on is refused as illegal, and so is one during a join.
    if (this.joining || generation !== this.generation || this.state !== 'in') return true
    if (isLoss(error)) this.lose(error)
    void this.join(isLoss(error) ? reasonOfLoss(error) : 'the group is rebalancing')
    return true
  }

  /** A request was answered: the coordinator knows this member as of `sentAt`. */
  contact(sentAt: number): void {
    this.lastContact = Math.max(this.lastContact, sentAt)
  }

  /** Stops joining and answering; what is under way has no effect any more. */
  halt(): void {
    this.state = 'out'
    this.again = null
    this.heartbeats.stop()
    this.naps.wake()
  }

  /**
   * After `halt`: tells the coordinator that this member is gone. It keeps its id if the coordinator could not be told,
   * to come back under it.
   */
  async leave(): Promise<void> {
    // A first JoinGroup may be under way whose member id is to come within a moment.
    for (let i = 0; i < 20 && this.joining && !this.memberId; i++) await within(this.joining, 25)
    const { memberId, config } = this
    if (memberId && config) {
      this.coordinator.open()
      const { groupId } = config
      const heard = Date.now() - this.lastContact <= silenceMs
      // Out of reach it gets one try: kafkajs may restart this member because of that, and it would be off the group the
      // moment the coordinator is back.
      const left = this.coordinator
        .persist(heard ? farewellMs : 0, broker => broker.leaveGroup({ groupId, memberId }))
        .then(
          () => true,
          // Known no more: that is as good.
          error => isLoss(error),
        )
      if (await within(left, farewellMs)) this.memberId = ''
    }
    await this.close()
  }

  /** After `halt`: ends the connections. As far as the coordinator knows this is still a member. */
  async close(): Promise<void> {
    this.coordinator.close()
    await this.joinedOrFailed()
    if (this.state !== 'out') return
    this.generation = -1
    this.leaderId = ''
  }

  private async untilJoined(reason: string): Promise<void> {
    for (let failures = 0; this.state === 'in'; ) {
      try {
        return await this.round(reason)
      } catch (error) {
        if (this.state !== 'in') return
        if (isLoss(error)) this.lose(error)
        else if (isPassing(error)) {
          this.ports.unreachable(error, ++failures)
          this.coordinator.dropJoins()
          await this.coordinator.backOff(failures)
        } else if (!isRebalancing(error)) throw error
      }
    }
  }

  private async round(reason: string): Promise<void> {
    const { groupId, sessionTimeout, rebalanceTimeout } = this.config!
    const breath = this.syncedAt + breathMs - Date.now()
    if (breath > 0 && !this.lossSinceRound) await this.naps.take(breath)
    await this.ports.beforeJoin()
    if (this.state !== 'in') return
    // From here on the metadata are what they are: a reason that comes later needs another round.
    this.again = null
    this.ports.wantsRejoin()
    const startedAt = Date.now()
    const protocol = this.ports.protocol()
    const { memberId: ownId } = this
    const joined = await this.coordinator.join(broker =>
      broker.joinGroup({ groupId, sessionTimeout, rebalanceTimeout, memberId: ownId, groupProtocols: [protocol] }),
    )
    this.memberId = joined.memberId
    if (this.state !== 'in') return
    const joinedAt = Date.now()
    const { memberId, generationId, leaderId } = joined
    this.generation = generationId
    this.contact(joinedAt)
    this.ports.joined()
    try {
      const isLeader = leaderId !== '' && leaderId === memberId
      // A plan is made for the topics as they are by then.
      if (isLeader) this.ports.wantsRejoin()
      const groupAssignment = isLeader ? await this.ports.plan(joined.members) : []
      if (this.state !== 'in') return
      const sentAt = Date.now()
      const { memberAssignment } = await this.coordinator.join(broker =>
        broker.syncGroup({ groupId, generationId, memberId, groupAssignment }),
      )
      if (this.state !== 'in' || this.memberId !== memberId) return
      this.contact(Date.now())
      this.leaderId = leaderId
      this.syncedAt = Date.now()
      this.ports.synced({
        memberId,
        generation: generationId,
        leaderId,
        protocol: joined.groupProtocol,
        assignment: memberAssignment,
        reason,
        afterLoss: this.lossSinceRound,
        startedAt,
        joinMs: joinedAt - startedAt,
        syncMs: Date.now() - sentAt,
      })
      this.lossSinceRound = false
      this.heartbeats.hurry()
    } finally {
      this.ports.unsynced()
      this.endRound()
    }
  }

  private endRound(): void {
    this.roundEnd.resolve()
    this.roundEnd = deferred()
  }

  private async beat(): Promise<void> {
    if (this.state !== 'in' || !this.memberId || this.generation < 0) return
    if (!this.joining && this.ports.isStuck()) return this.expire()
    const wanted = this.joining ? null : this.ports.wantsRejoin()
    if (wanted) void this.join(wanted)
    const { memberId, generation } = this
    const { groupId } = this.config!
    const sentAt = Date.now()
    try {
      await this.coordinator.request(broker => broker.heartbeat({ groupId, memberId, groupGenerationId: generation }))
      this.contact(sentAt)
    } catch (error) {
      if (isRebalancing(error)) this.contact(sentAt)
      if (this.refused(error, generation) || isPassing(error) || this.state !== 'in') return
      this.ports.failed(error)
    }
  }

  /** The coordinator expects a member that makes no progress to leave (max.poll.interval.ms of Java's consumer). */
  private async expire(): Promise<void> {
    const { memberId } = this
    const { groupId } = this.config!
    this.state = 'expired'
    this.forget('no progress within maxPollIntervalMs', true)
    await this.coordinator.request(broker => broker.leaveGroup({ groupId, memberId })).catch(() => {})
  }

  private lose(error: unknown): void {
    this.forget(reasonOfLoss(error), forgetsMember(error))
  }

  private forget(reason: string, memberIdToo: boolean): void {
    if (memberIdToo) this.memberId = ''
    this.generation = -1
    this.leaderId = ''
    this.lossSinceRound = true
    this.ports.lost(reason)
  }
}

const reasonOfLoss = (error: unknown): string =>
  `the coordinator answered ${String((error as { type?: unknown }).type)}`
