import { decodeAssignment } from '../../protocol'
import { writeAssignment } from '../../protocol/assignment'
import type { ConsumerSession } from '../consumer-session'
import { toBuffer } from '../group-plan'
import { GrowthCheck } from '../growth-check'
import type { BrokerLayer } from '../intercept'
import type {
  Broker,
  CommittedOffsets,
  FetchRequest,
  FetchResponse,
  HeartbeatRequest,
  JoinGroupRequest,
  JoinGroupResponse,
  LeaveGroupRequest,
  OffsetCommitRequest,
  OffsetFetchRequest,
  SyncGroupRequest,
  SyncGroupResponse,
} from '../internals'
import { joinAgain, nothingToFetch, notInPlace, stoppedWhileJoining } from './aborts'
import { type CommitFailure, CommitGate } from './commit-gate'
import { ConsumerEvents, type GroupJoinPayload } from './consumer-events'
import { Coordinator } from './coordinator'
import { type Deferred, deferred, Naps, nextMacrotask, within } from './deferred'
import { isPassing } from './errors'
import { Fence, type Ownership } from './fence'
import { FetchPath } from './fetch-path'
import { Fetchers } from './fetchers'
import { LoopProbe } from './gated-messages'
import { Handover } from './handover'
import { LiveArrays } from './live-arrays'
import { Membership, type Round } from './membership'
import { type CooperativeOptions, withDefaults } from './options'
import { Outages } from './outages'
import { canBuildConnections } from './own-connection'
import { PartitionCallbacks } from './partition-callbacks'
import { keyOf, keysOf, listOf, type PartitionKey, partitionOf } from './partition-key'
import { Placement } from './placement'
import { ReadReplicas } from './read-replicas'
import { foreignCommit, RoundReporter } from './reporter'
import { Slices } from './slices'
import { SpinGuard } from './spin-guard'
import { cooperativeSubscription } from './subscription'

type Next<Request, Response> = (request: Request) => Promise<Response>

export const cooperativeName = 'cooperative-sticky'

/** A joiner gets its partitions in the second round; kafkajs is kept waiting for that, for so long. */
const followUpMs = 2000
const emitterName = "the consumer's event emitter"
/** The longest pause before a broker that could not be reached is tried again. */
const longestPauseMs = 2000
/** How long an end of the consumer waits for commits that are under way. */
const lastCommitsMs = 2000

/**
 * Stands between a kafkajs consumer and its group: answers what kafkajs asks of the coordinator from a membership that
 * is kept up in the background, so that kafkajs never sees a rebalance, and changes what it fetches underneath.
 */
export class Gateway implements BrokerLayer {
  readonly fence = new Fence()
  readonly commits: CommitGate
  readonly fetchPath: FetchPath
  readonly placement: Placement
  readonly membership: Membership
  private readonly table: CommittedOffsets = {}
  private readonly slices: Slices
  private readonly live: LiveArrays
  private readonly replicas: ReadReplicas
  private readonly handover: Handover
  private readonly coordinator: Coordinator
  private readonly events: ConsumerEvents
  private readonly callbacks: PartitionCallbacks
  private readonly reporter: RoundReporter
  private readonly fetchers: Fetchers
  private readonly probe = new LoopProbe()
  private readonly naps = new Naps()
  private readonly spinGuard = new SpinGuard()
  private readonly growth: GrowthCheck
  private readonly outages: Outages
  private readonly options: ReturnType<typeof withDefaults>
  private mode: 'undecided' | 'cooperative' | 'eager' = 'undecided'
  private topics: readonly string[] = []
  private sessionTimeout = 30_000
  private rebalanceTimeout = 60_000
  private lastActivity = 0
  /** The fetcher that begins a fetch in this very tick. */
  private fetching: string | null = null
  /** kafkajs has been given a first assignment. */
  private handed = false
  private firstJoin: Deferred<never> | null = null
  private ending: Promise<void> | null = null
  private failure: { error: unknown } | null = null

  constructor(
    private readonly session: ConsumerSession,
    options: CooperativeOptions,
  ) {
    const { interception, groupId } = session
    this.options = withDefaults(options)
    const { maxRecordsPerFetch, fetchMaxWaitMs, drainTimeoutMs, foreignCommits, tier } = this.options
    this.slices = new Slices(maxRecordsPerFetch)
    this.live = new LiveArrays(key => this.positionIsMeant(key))
    this.replicas = new ReadReplicas(interception.cluster)
    this.fetchers = new Fetchers(() => interception.cluster.getNodeIds())
    this.placement = new Placement(tier, this.live, this.replicas, missing => this.reporter.fellBack(missing))
    this.commits = new CommitGate(this.fence, this.table, foreignCommits, {
      identity: () => ({ memberId: this.membership.memberId, generation: this.membership.generation }),
      send: request => this.send(request),
      mayRetry: failure => this.mayRetryCommit(failure),
      committedBehind: request => this.events.emitCommit(request),
      failedBehind: error => this.reporter.commitFailed(error),
      foreignCommitError: foreignCommit,
    })
    this.fetchPath = new FetchPath(this.fence, this.slices, this.table, this.probe, fetchMaxWaitMs, {
      leaseHolds: () => this.membership.leaseHolds,
      active: () => this.active(),
      idle: () => this.naps.take(fetchMaxWaitMs),
      requested: (node, keys) => {
        if (!this.events.found) this.fetchBegins(node)
        this.placement.requested(keys)
      },
      preferred: (key, node) => this.replicas.prefer(key, node),
    })
    this.handover = new Handover(this.fence, this.commits, drainTimeoutMs, {
      revoke: ownerships => this.callbacks.run('onPartitionsRevoked', ownerships, generationOf(ownerships)),
      surrendered: () => {
        this.placement.left()
        void this.membership.join('handed over what was revoked')
      },
    })
    this.coordinator = new Coordinator(groupId, interception, memberId => {
      this.membership.memberId = memberId
    })
    this.membership = new Membership(
      this.coordinator,
      {
        beforeJoin: () => this.handover.settled(),
        protocol: () => ({ name: cooperativeName, metadata: this.subscription() }),
        plan: members => session.leader.assign(cooperativeName, members),
        joined: () => this.commits.close(),
        synced: round => this.synced(round),
        unsynced: () => this.commits.open(),
        lost: reason => this.lost(reason),
        failed: error => this.failed(error),
        wantsRejoin: () => this.takeWantsRejoin(),
        isStuck: () => this.isStuck(),
        unreachable: (error, failures) => this.reporter.unreachable(error, failures),
      },
      () => Math.min(this.options.heartbeatIntervalMs, Math.floor(this.sessionTimeout / 3)),
    )
    this.events = new ConsumerEvents(
      {
        joined: payload => this.kafkajsJoined(payload),
        fetching: node => {
          this.fetching = node
          this.placement.fetching(node)
          this.fetchBegins(node)
        },
        batchStarted: (topic, partition) => this.batchStarted(keyOf(topic, partition)),
        batchEnded: (topic, partition) => this.batchEnded(keyOf(topic, partition)),
        stopped: () => {
          if (this.firstJoin) void this.end()
        },
        crashed: willRestart => {
          if (!willRestart && this.cooperates && this.membership.state === 'out') void this.membership.leave()
        },
      },
      error => this.reporter.listenerFailed(error),
    )
    this.callbacks = new PartitionCallbacks(
      session,
      () => this.membership.memberId || (session.state.membership?.memberId ?? ''),
      () => Math.min(this.sessionTimeout / 2, 2 ** 31 - 1),
    )
    this.growth = new GrowthCheck(session)
    this.outages = new Outages(
      () => this.sessionTimeout,
      failures => this.naps.take(Math.min(longestPauseMs, fetchMaxWaitMs * 2 ** (failures - 1))),
      () => interception.original.refreshMetadata().catch(() => {}),
    )
    this.reporter = new RoundReporter(session, this.callbacks, () => this.placement.current)
  }

  /** Whether this consumer takes part cooperatively; false until it joins, and where it is eager. */
  get cooperates(): boolean {
    return this.mode === 'cooperative'
  }

  subscribed(topics: readonly string[]): void {
    this.topics = [...topics]
  }

  // ---- What kafkajs calls

  async joinGroup(
    next: Next<JoinGroupRequest, JoinGroupResponse>,
    request: JoinGroupRequest,
    broker: Broker,
  ): Promise<JoinGroupResponse> {
    await this.ending
    if (this.membership.state === 'out') await this.decide(request)
    if (!this.cooperates) return next(request)
    this.active()
    if (this.membership.state === 'out') {
      this.session.coordinator = broker
      await this.joinFirst(request, broker)
    }
    // A consumer that was started again without having left: nothing of its former run works any more.
    else if (request.memberId === '') this.fence.endedOn(() => true)
    else this.lookForNewPartitions()
    // Without a member id kafkajs would not leave the group in the end.
    while (!this.membership.memberId && this.membership.isJoining) await this.membership.joinedOrFailed()
    this.throwFailure()
    const { generation, memberId } = this.membership
    // A leader would refresh its metadata and plan. Who leads is put right in the event.
    const leaderId = this.events.found ? '' : this.membership.leaderId
    return { errorCode: 0, generationId: generation, leaderId, memberId, members: [], groupProtocol: cooperativeName }
  }

  async syncGroup(
    next: Next<SyncGroupRequest, SyncGroupResponse>,
    request: SyncGroupRequest,
  ): Promise<SyncGroupResponse> {
    if (!this.cooperates) return next(request)
    // kafkajs drops its positions on the answer: not between the end of a batch and its commit.
    await nextMacrotask()
    this.handed = true
    this.placement.told()
    if (!this.events.found) this.fence.forgetPositions()
    const partitions = new Map(listOf(this.fence.active).map(each => [each.topic, each.partitions]))
    // Every topic, so that kafkajs has an array for each of them, and each can become non-empty later.
    const all = this.topics.map(topic => ({ topic, partitions: partitions.get(topic) ?? [] }))
    return { errorCode: 0, memberAssignment: toBuffer(writeAssignment({ partitions: all })) }
  }

  async heartbeat(next: Next<HeartbeatRequest, unknown>, request: HeartbeatRequest): Promise<unknown> {
    if (!this.cooperates) return next(request)
    this.active()
    this.throwFailure()
    // kafkajs emits this object as HEARTBEAT.
    request.memberId = this.membership.memberId
    request.groupGenerationId = this.membership.generation
    return { errorCode: 0 }
  }

  async leaveGroup(next: Next<LeaveGroupRequest, unknown>, request: LeaveGroupRequest): Promise<unknown> {
    if (!this.cooperates) return next(request)
    await this.end()
    return { errorCode: 0 }
  }

  async offsetCommit(next: Next<OffsetCommitRequest, unknown>, request: OffsetCommitRequest): Promise<unknown> {
    if (!this.cooperates) return next(request)
    this.active()
    return this.commits.commit(request)
  }

  async offsetFetch(next: Next<OffsetFetchRequest, unknown>, request: OffsetFetchRequest): Promise<unknown> {
    if (!this.cooperates) return next(request)
    const answer = (await this.coordinator.persist(this.sessionTimeout, broker =>
      broker.offsetFetch(request),
    )) as OffsetFetchAnswer
    for (const { topic, partitions } of answer.responses)
      for (const each of partitions) each.offset = this.commits.underWay(keyOf(topic, each.partition)) ?? each.offset
    return answer
  }

  async fetch(next: Next<FetchRequest, FetchResponse>, request: FetchRequest, broker: Broker): Promise<FetchResponse> {
    if (!this.cooperates) return next(request)
    return this.outages.tolerate(String(broker.nodeId), () => this.fetchPath.fetch(next, request, broker))
  }

  findBroker(next: () => Promise<Broker>, nodeId: number | string): Promise<Broker> {
    return this.cooperates && this.handed ? this.outages.tolerate(String(nodeId), next) : next()
  }

  /** To join again, with the answers at hand, takes no coordinator. */
  async findGroupCoordinator(next: () => Promise<Broker>): Promise<Broker> {
    const { coordinator } = this.session
    return this.cooperates && this.handed && this.membership.state !== 'out' && coordinator ? coordinator : next()
  }

  getNodeIds(next: () => (number | string)[]): (number | string)[] {
    if (this.cooperates) this.spinGuard.check()
    return next()
  }

  /** kafkajs' OffsetManager would look for a new coordinator: commits go over connections of our own. */
  isConnected(): boolean | undefined {
    return this.cooperates && this.membership.state !== 'out' ? true : undefined
  }

  committedOffsets(next: () => CommittedOffsets): CommittedOffsets {
    // kafkajs' own table is shared by all consumers of the group that one Kafka instance has.
    return this.cooperates ? this.table : next()
  }

  async refreshMetadataIfNecessary(next: () => Promise<void>): Promise<void> {
    const node = this.fetching
    this.fetching = null
    if (!this.cooperates || !this.handed || this.membership.state === 'out') return next()
    this.active()
    // In a fetch, and without events every call may be one.
    if (node === null && this.events.found) return next()
    if (this.membership.state === 'expired' && !this.isStuck()) void this.membership.join('the handlers go on')
    if (this.placement.takeJoin()) throw joinAgain()
    if (this.hasWork(node)) return this.outages.tolerate('metadata', next)
    // kafkajs would sleep for maxWaitTimeInMs, and neither a stop nor a gained partition could wake it.
    await this.naps.take(this.options.fetchMaxWaitMs)
    if (this.placement.takeJoin()) throw joinAgain()
    await this.outages.tolerate('metadata', next)
    if (!this.hasWork(node)) throw nothingToFetch()
  }

  /** After stop(), which has left the group; after an error, without; or while kafkajs joins. */
  async disconnect(): Promise<void> {
    if (!this.cooperates) return
    if (this.membership.state !== 'out') await this.end(this.firstJoin === null)
    // Once more, while a restart is due: it will not come.
    else if (this.membership.memberId) await this.membership.leave()
  }

  // ---- Beginning and end

  /** Cooperative only if nothing but this assigner is in the consumer's list, and kafkajs shows what that needs. */
  private async decide({ groupProtocols }: JoinGroupRequest): Promise<void> {
    if (!groupProtocols.every(({ name }) => name === cooperativeName)) this.mode = 'eager'
    else if (await canBuildConnections(this.session.interception.cluster)) this.mode = 'cooperative'
    else {
      if (this.mode !== 'eager') this.reporter.eagerInstead('what connections of its own are built with')
      this.mode = 'eager'
    }
  }

  private async joinFirst(request: JoinGroupRequest, broker: Broker): Promise<void> {
    const { groupId, sessionTimeout, rebalanceTimeout } = request
    this.sessionTimeout = sessionTimeout
    this.rebalanceTimeout = rebalanceTimeout
    this.failure = null
    this.handed = false
    this.fence.endedOn(() => true)
    this.probe.forget()
    this.replicas.clear()
    this.outages.clear()
    this.fetchers.clear()
    this.handover.start()
    if (!this.events.findAt(broker)) {
      if (this.options.tier === 'in-place') throw notInPlace(emitterName)
      this.placement.fallBack(emitterName)
    }
    const stopped = deferred<never>()
    this.firstJoin = stopped
    try {
      await Promise.race([this.firstAssignment({ groupId, sessionTimeout, rebalanceTimeout }), stopped.promise])
    } finally {
      this.firstJoin = null
    }
  }

  /** The first round, and the second one if the first gave nothing because others had to give it up first. */
  private async firstAssignment(config: { groupId: string; sessionTimeout: number; rebalanceTimeout: number }) {
    await this.membership.start(config)
    const until = Date.now() + followUpMs
    while (this.awaitsFollowUp() && Date.now() < until) await this.naps.take(until - Date.now())
    await this.callbacks.idle()
  }

  private awaitsFollowUp(): boolean {
    if (this.failure || this.membership.state === 'out' || this.topics.length === 0) return false
    if (this.fence.assigned.length > 0) return false
    return this.membership.isJoining || !this.membership.isLeader || this.reporter.lastWithheld > 0
  }

  /**
   * Ends this member's part in the group, once. One that comes back at once, since kafkajs restarts it, does not leave:
   * within its session it finds what it had.
   */
  private end(comesBack = false): Promise<void> {
    if (this.membership.state === 'out') return this.ending ?? Promise.resolve()
    this.ending = this.leave(comesBack).finally(() => {
      this.ending = null
    })
    return this.ending
  }

  private async leave(comesBack: boolean): Promise<void> {
    const mayCommit = !comesBack && this.membership.state === 'in' && this.membership.leaseHolds
    this.membership.halt()
    this.session.watch.stop()
    this.growth.stop()
    this.firstJoin?.reject(stoppedWhileJoining())
    this.naps.wake()
    await this.handover.stop()
    await within(this.commits.settled(), lastCommitsMs)
    const held = [...this.fence.owned].map(key => this.fence.ownership(key)!).filter(each => !each.revocationTold)
    await this.callbacks.run(mayCommit ? 'onPartitionsRevoked' : 'onPartitionsLost', held, generationOf(held))
    await within(this.commits.settled(), lastCommitsMs)
    if (comesBack) await this.membership.close()
    else await this.membership.leave()
    this.fence.lose()
    this.slices.clear()
    this.live.release()
    this.commits.open()
    this.session.state.left(comesBack ? 'connected anew' : 'left the group')
  }

  // ---- What the group says

  private subscription(): Buffer {
    return cooperativeSubscription(this.session, this.topics, this.fence.owned)
  }

  private synced(round: Round): void {
    const { session, fence } = this
    const decoded = decodeAssignment(round.assignment)
    const own = decoded.partitions.filter(({ topic }) => this.topics.includes(topic))
    const change = fence.assign(keysOf(own), round.generation)
    for (const { key } of change.revoked) {
      this.slices.drop(key)
      this.placement.revoked(key)
      this.withdraw(key)
    }
    for (const ownership of change.returned) if (ownership.phase === 'active') this.resume(ownership)
    this.reporter.synced(round, own, change)
    this.announce(change.gained, round.generation)
    this.emitGroupJoin(round)
    this.handover.check()
    this.naps.wake()
    this.growth.planned()
    session.state.holding = false
  }

  /** kafkajs joins again by itself when a topic that it reads has grown. */
  private lookForNewPartitions(): void {
    if (this.membership.isLeader) void this.session.watch.check()
    else this.growth.schedule()
  }

  /** Tells the user what was gained; it is fetched after that. */
  private announce(gained: readonly Ownership[], generation: number): void {
    const announced = () => {
      for (const ownership of gained) ownership.announced = true
      this.activateReady()
    }
    if (this.callbacks.has('onPartitionsAssigned') && gained.length > 0)
      void this.callbacks.run('onPartitionsAssigned', gained, generation).then(announced)
    else announced()
  }

  private activateReady(): void {
    for (const ownership of this.fence.ready) {
      this.fence.activate(ownership)
      this.readCommitted(ownership.key)
      this.placement.came(ownership.key)
      // kafkajs passes over a partition that is not in its metadata.
      if (!this.replicas.knows(ownership.key)) void this.session.interception.original.refreshMetadata().catch(() => {})
      this.naps.wake()
    }
  }

  /** A partition was given back before it was handed over. */
  private resume({ key, positionTrusted }: Ownership): void {
    if (!positionTrusted) this.readCommitted(key)
    this.placement.came(key)
  }

  /** Makes kafkajs read the committed offset before its next fetch of the partition. */
  private readCommitted(key: PartitionKey): void {
    const { topic, partition } = partitionOf(key)
    if (this.table[topic]) delete this.table[topic][String(partition)]
  }

  /** Nobody waits for the turn of a batch that has not begun; without events nobody knows whether it has. */
  private withdraw(key: PartitionKey): void {
    if (this.events.found) this.fence.withdraw(key)
  }

  private lost(reason: string): void {
    const lost = this.fence.lose()
    for (const { key } of lost) {
      this.placement.revoked(key)
      this.withdraw(key)
    }
    this.slices.clear()
    if (lost.length === 0) return
    this.reporter.lost(reason, lost)
    const untold = lost.filter(({ revocationTold }) => !revocationTold)
    void this.callbacks.run('onPartitionsLost', untold, generationOf(untold))
  }

  private failed(error: unknown): void {
    this.failure = { error }
    this.naps.wake()
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error
  }

  private takeWantsRejoin(): string | null {
    const reason = this.session.wantsRejoin
    this.session.wantsRejoin = null
    return reason
  }

  // ---- Commits

  private async send(request: OffsetCommitRequest): Promise<unknown> {
    const sentAt = Date.now()
    const answer = await this.coordinator.request(broker => broker.offsetCommit(request))
    this.membership.contact(sentAt)
    return answer
  }

  private async mayRetryCommit({ error, generation, attempt, since }: CommitFailure): Promise<boolean> {
    if (isPassing(error)) {
      if (Date.now() - since > this.sessionTimeout) return false
      await this.coordinator.backOff(attempt)
      return this.membership.state !== 'out'
    }
    if (!this.membership.refused(error, generation)) return false
    if (this.membership.isJoining) await within(this.membership.joinedOrFailed(), this.rebalanceTimeout)
    return this.membership.state === 'in' && !this.failure
  }

  // ---- Batches and fetchers

  private active(): void {
    this.lastActivity = Date.now()
  }

  /** No sign of kafkajs, or a batch that no handler gets on with: a member that is like that does not count. */
  private isStuck(): boolean {
    const { maxPollIntervalMs } = this.options
    return this.handed && (Date.now() - this.lastActivity > maxPollIntervalMs || this.fence.isStuck(maxPollIntervalMs))
  }

  private hasWork(node: string | null): boolean {
    return this.replicas.anyOn(node, this.fence.active)
  }

  private batchStarted(key: PartitionKey): void {
    const delivery = this.fence.delivery(key)
    if (delivery) delivery.progressAt = Date.now()
  }

  private batchEnded(key: PartitionKey): void {
    const delivery = this.fence.delivery(key)
    this.active()
    if (!delivery) return
    setImmediate(() => {
      this.fence.ended(delivery)
      this.progress()
    })
  }

  private fetchBegins(node: string): void {
    const isDone = this.fetchers.begins(node)
    if (!this.fence.hasDeliveries) return
    this.fence.endedOn(isDone)
    this.progress()
  }

  private progress(): void {
    if (!this.cooperates || this.membership.state === 'out') return
    this.activateReady()
    this.handover.check()
  }

  private positionIsMeant(key: PartitionKey): void {
    const ownership = this.fence.ownership(key)
    if (ownership) ownership.positionTrusted = true
  }

  // ---- Events

  private kafkajsJoined(payload: GroupJoinPayload): void {
    if (!this.cooperates) return
    this.fence.forgetPositions()
    this.placement.joined(payload.memberAssignment, this.topics, this.fence.active)
    payload.memberAssignment = this.assignment()
    payload.leaderId = this.membership.leaderId
    payload.isLeader = this.membership.isLeader
  }

  private emitGroupJoin(round: Round): void {
    if (!this.handed) return
    const { memberId, leaderId } = round
    this.events.emitGroupJoin({
      groupId: this.session.groupId,
      memberId,
      leaderId,
      isLeader: leaderId === memberId,
      memberAssignment: this.assignment(),
      groupProtocol: cooperativeName,
      duration: Date.now() - round.startedAt,
    })
  }

  /** What the last round gave to this member, as users see it. */
  private assignment(): Record<string, number[]> {
    return Object.fromEntries(listOf(this.fence.assigned).map(({ topic, partitions }) => [topic, [...partitions]]))
  }
}

interface OffsetFetchAnswer {
  responses: { topic: string; partitions: { partition: number; offset: string }[] }[]
}

const generationOf = (ownerships: readonly Ownership[]): number =>
  Math.max(-1, ...ownerships.map(({ generation }) => generation))
