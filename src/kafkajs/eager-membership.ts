import { decodeAssignment, describeProblem, encodeAssignment, type TopicPartitions } from '../protocol'
import type { Role } from '../report/rebalance-report'
import { partitionsByTopic } from '../report/topics'
import type { ConsumerSession } from './consumer-session'
import { EagerRound } from './eager-round'
import { toBuffer } from './group-plan'
import { GrowthCheck } from './growth-check'
import type { BrokerLayer } from './intercept'
import type {
  Broker,
  HeartbeatRequest,
  JoinGroupRequest,
  JoinGroupResponse,
  LeaveGroupRequest,
  OffsetCommitRequest,
  SyncGroupRequest,
  SyncGroupResponse,
} from './internals'
import { type Membership, roleOf } from './member-state'
import { SharedCall } from './shared-call'
import { tellRebalance } from './tell-rebalance'

type Next<Request, Response> = (request: Request) => Promise<Response>

/** Half of kafkajs' default session timeout, until the first JoinGroup tells. */
const defaultCallbackBound = 15_000

/**
 * Watches the membership of an eager consumer: what it is given, when it has to rejoin, what it must give up first.
 * Everything still goes to the coordinator; only the SyncGroup answer is put into canonical form on its way to kafkajs.
 */
export class EagerMembership implements BrokerLayer {
  /**
   * kafkajs sends no heartbeat while it joins, so a callback may take no longer than the session and the rebalance
   * allow.
   */
  private callbackBound = defaultCallbackBound
  private joined: { response: JoinGroupResponse; role: Role } | null = null
  private readonly joining = new SharedCall<JoinGroupResponse>()
  private readonly syncing = new SharedCall<SyncGroupResponse>()
  private round: EagerRound | null = null
  /** The last JoinGroup that went out, to tell whether another one would say the same. */
  private lastRequest: JoinGroupRequest | null = null
  /** True while kafkajs is given what the coordinator answered before. */
  private repeating = false
  private warnedOfAssignment = false
  private readonly growth: GrowthCheck

  constructor(private readonly session: ConsumerSession) {
    this.growth = new GrowthCheck(session)
  }

  /** Several fetchers of kafkajs may rejoin at once (the leader of a partition moved); they share one request. */
  joinGroup(next: Next<JoinGroupRequest, JoinGroupResponse>, request: JoinGroupRequest, broker: Broker) {
    return this.joining.call(request.memberId, () => this.join(next, request, broker))
  }

  syncGroup(next: Next<SyncGroupRequest, SyncGroupResponse>, request: SyncGroupRequest) {
    return this.syncing.call(`${request.generationId} ${request.memberId}`, () => this.sync(next, request))
  }

  async heartbeat(next: Next<HeartbeatRequest, unknown>, request: HeartbeatRequest): Promise<unknown> {
    const { wantsRejoin, state } = this.session
    if (wantsRejoin) {
      state.raise('rebalance', wantsRejoin)
      throw rebalanceInProgress()
    }
    return this.observed(request.groupGenerationId, () => next(request))
  }

  offsetCommit(next: Next<OffsetCommitRequest, unknown>, request: OffsetCommitRequest): Promise<unknown> {
    return this.observed(request.groupGenerationId, () => next(request))
  }

  async leaveGroup(next: Next<LeaveGroupRequest, unknown>, request: LeaveGroupRequest): Promise<unknown> {
    this.stopWatching()
    await this.release(this.session.state.signal?.kind === 'lost')
    this.session.state.left('back after it had left')
    return next(request)
  }

  async disconnect(): Promise<void> {
    this.stopWatching()
    // Without LeaveGroup the coordinator still counts the member in, but it can no longer commit.
    await this.release(true)
    this.session.state.left('back on a new connection')
    this.session.coordinator = null
    this.round = null
  }

  private async join(
    next: Next<JoinGroupRequest, JoinGroupResponse>,
    request: JoinGroupRequest,
    broker: Broker,
  ): Promise<JoinGroupResponse> {
    const { session } = this
    const { state } = session
    session.coordinator = broker
    this.repeating = this.changesNothing(request)
    if (this.repeating) {
      // Should a topic have changed: the rejoin that it needs comes with a heartbeat, when no handler runs.
      if (state.membership!.role === 'leader') void session.watch.check()
      else this.growth.schedule()
      return { ...this.joined!.response, members: [] }
    }
    this.lastRequest = request
    const { sessionTimeout, rebalanceTimeout } = request
    this.callbackBound = Math.min(sessionTimeout / 2, rebalanceTimeout / 2, 2 ** 31 - 1) || defaultCallbackBound
    this.round ??= new EagerRound(state.signal?.reason ?? 'rejoined outside of a rebalance')
    const lost = state.signal?.kind === 'lost' || request.memberId === ''
    // What this member planned, if it did, is over, whether it ever came into force or not.
    this.stopWatching()
    session.leader.takePlan()
    await this.release(lost)
    session.wantsRejoin = null
    const start = performance.now()
    try {
      const response = await next(request)
      state.joined(response.generationId)
      this.joined = { response, role: roleOf(response.leaderId, response.memberId) }
      return response
    } catch (error) {
      state.observeError(error)
      throw error
    } finally {
      if (this.round) this.round.joinMs += performance.now() - start
    }
  }

  private async sync(
    next: Next<SyncGroupRequest, SyncGroupResponse>,
    request: SyncGroupRequest,
  ): Promise<SyncGroupResponse> {
    const { session } = this
    const { state } = session
    if (this.repeating && state.membership) return this.forKafkaJS({ errorCode: 0 }, state.membership.partitions)
    const start = performance.now()
    const response = await this.observed(request.generationId, () => next(request)).finally(() => {
      if (this.round) this.round.syncMs += performance.now() - start
    })
    const decoded = decodeAssignment(response.memberAssignment)
    // No bytes at all are what kafkajs' own leaders send to a member without partitions.
    if (decoded.problem && decoded.problem.reason !== 'empty') this.warnOfAssignment(describeProblem(decoded.problem))

    const before = state.membership
    const membership: Membership = {
      memberId: request.memberId,
      generation: request.generationId,
      role: this.joined?.role ?? 'follower',
      protocol: this.joined?.response.groupProtocol ?? '',
      partitions: decoded.partitions,
    }
    await this.begin(before, membership)
    this.round = null
    return this.forKafkaJS(response, decoded.partitions)
  }

  /**
   * kafkajs joins anew whenever the leader of a partition moves, which is no business of the group. Such a JoinGroup
   * is answered from memory: sent by the leader, or with other bytes, it would make everybody rebalance, while handlers
   * of this member still run. Heartbeats go on and tell if the membership is over.
   */
  private changesNothing(request: JoinGroupRequest): boolean {
    const { state, wantsRejoin } = this.session
    return (
      state.holding &&
      !state.signal &&
      !state.doubted &&
      !wantsRejoin &&
      request.memberId === state.membership?.memberId &&
      request.memberId === this.joined?.response.memberId &&
      sameProtocols(request, this.lastRequest)
    )
  }

  /**
   * Canonical bytes: kafkajs loses partitions of a topic that is named twice, and crashes at partitions of a topic that
   * is gone.
   */
  private forKafkaJS(
    response: Omit<SyncGroupResponse, 'memberAssignment'>,
    partitions: readonly TopicPartitions[],
  ): SyncGroupResponse {
    const existing = partitions.filter(({ topic }) => !this.session.goneTopics.topics.has(topic))
    return { ...response, memberAssignment: toBuffer(encodeAssignment({ partitions: existing })) }
  }

  /** A new assignment: the callbacks, then the lines and the report. */
  private async begin(before: Membership | null, now: Membership): Promise<void> {
    const { session } = this
    const { state, callbacks, options, groupId } = session
    state.synced(now)
    this.growth.planned()
    const assignMs = await callbacks.run(
      'onPartitionsAssigned',
      options.onPartitionsAssigned,
      { groupId, memberId: now.memberId, generation: now.generation, partitions: partitionsByTopic(now.partitions) },
      this.callbackBound,
    )
    const round = this.round ?? new EagerRound('unknown')
    tellRebalance(session, round.report(groupId, before, now, session.leader.takePlan(), assignMs))
  }

  /** Gives up all that is held, as Java's eager members do before they join. */
  private async release(lost: boolean): Promise<void> {
    const { state, callbacks, options, groupId } = this.session
    const { membership } = state
    if (!state.holding || !membership) return
    state.holding = false
    if (this.round) this.round.lost = lost
    if (membership.partitions.length === 0) return
    const waited = await callbacks.run(
      lost ? 'onPartitionsLost' : 'onPartitionsRevoked',
      lost ? options.onPartitionsLost : options.onPartitionsRevoked,
      {
        groupId,
        memberId: membership.memberId,
        generation: membership.generation,
        partitions: partitionsByTopic(membership.partitions),
      },
      this.callbackBound,
    )
    if (this.round) this.round.revokeMs += waited
  }

  private stopWatching(): void {
    this.session.watch.stop()
    this.growth.stop()
  }

  private async observed<Response>(generation: number, call: () => Promise<Response>): Promise<Response> {
    try {
      return await call()
    } catch (error) {
      this.session.state.observeError(error, generation)
      throw error
    }
  }

  private warnOfAssignment(reason: string): void {
    if (this.warnedOfAssignment) return
    this.warnedOfAssignment = true
    const { log, groupId } = this.session
    log.warn(
      { event: 'assignment-unreadable', groupId, reason },
      `The leader of the group sent an assignment that cannot be read in full (${reason}); the rest of it is used`,
    )
  }
}

function sameProtocols(a: JoinGroupRequest, b: JoinGroupRequest | null): boolean {
  return (
    a.groupProtocols.length === b?.groupProtocols.length &&
    a.groupProtocols.every(({ name, metadata }, i) => {
      const other = b.groupProtocols[i]!
      return name === other.name && Buffer.compare(metadata, other.metadata) === 0
    })
  )
}

/** What the coordinator answers to a heartbeat during a rebalance, as kafkajs throws it. */
function rebalanceInProgress(): Error {
  return Object.assign(new Error('The group is rebalancing, so a rejoin is needed'), {
    name: 'KafkaJSProtocolError',
    type: 'REBALANCE_IN_PROGRESS',
    code: 27,
    retriable: false,
  })
}
