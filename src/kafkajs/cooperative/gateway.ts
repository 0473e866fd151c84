import { writeAssignment } from '../../protocol/assignment'
import type { ConsumerSession } from '../consumer-session'
import { toBuffer } from '../group-plan'
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
import { CurrentAssignment } from './current-assignment'
import { nextMacrotask } from './deferred'
import { isUnreachable } from './errors'
import { FetchStart } from './fetch-start'
import type { CooperativeOptions } from './options'
import { Participation } from './participation'
import { keyOf, type PartitionKey } from './partition-key'
import { assemble, type Parts } from './parts'
import { SpinGuard } from './spin-guard'
import { cooperativeName } from './subscription'

type Next<Request, Response> = (request: Request) => Promise<Response>

/**
 * Stands between a kafkajs consumer and its group: answers what kafkajs asks of the coordinator from a membership that
 * is kept up in the background, so that kafkajs never sees a rebalance, and changes what it fetches underneath.
 *
 * Here is what kafkajs calls. How it begins and ends stands in `participation.ts`, what an assignment does in
 * `current-assignment.ts`, and how the parts hang together in `parts.ts`.
 */
export class Gateway implements BrokerLayer {
  private readonly parts: Parts
  private readonly assignment: CurrentAssignment
  private readonly participation: Participation
  private readonly fetchStart: FetchStart
  private readonly spinGuard = new SpinGuard()
  /** kafkajs has asked to leave the group since it last said that it has stopped. */
  private hasLeft = false
  /** It has stopped without that: after a crash, also one of a start that did not get as far as a join. */
  private mayComeBack = false

  constructor(session: ConsumerSession, options: CooperativeOptions) {
    this.parts = assemble(session, options, {
      synced: round => this.assignment.change(round),
      lost: reason => this.assignment.lose(reason),
      progress: () => this.assignment.progress(),
      isStuck: () => this.assignment.handed && this.parts.activity.isStuck,
      failed: error => this.participation.failed(error),
      hasFailed: () => this.participation.hasFailed,
      fetching: node => this.fetchStart.announce(node),
      joined: payload => !this.cooperates || this.assignment.taken(payload),
      stopped: () => {
        if (this.participation.isJoiningFirst) void this.participation.end()
        this.mayComeBack = !this.hasLeft
        this.hasLeft = false
      },
      crashed: willRestart => {
        if (!willRestart && this.cooperates) void this.participation.stayAway()
      },
    })
    this.assignment = new CurrentAssignment(this.parts)
    this.participation = new Participation(this.parts, this.assignment)
    this.fetchStart = new FetchStart(this.parts, this.assignment)
  }

  /** Whether this consumer takes part cooperatively; false until it joins, and where it is eager. */
  get cooperates(): boolean {
    return this.participation.cooperates
  }

  async joinGroup(
    next: Next<JoinGroupRequest, JoinGroupResponse>,
    request: JoinGroupRequest,
    broker: Broker,
  ): Promise<JoinGroupResponse> {
    const { participation } = this
    const { membership, activity, session, events } = this.parts
    await participation.ended()
    if (this.isOut) await participation.decide(request)
    if (!this.cooperates) return next(request)
    activity.sign()
    if (this.isOut) {
      session.coordinator = broker
      await participation.begin(request, broker)
    }
    // A consumer that was started again without having left: nothing of its former run works any more.
    else if (request.memberId === '') activity.startOver()
    else this.lookForNewPartitions()
    if (membership.state === 'expired' && !activity.isStuck) void membership.join('kafkajs joins again')
    // Without a member id kafkajs would not leave the group in the end.
    while (!membership.memberId && membership.isJoining) await membership.joinedOrFailed()
    participation.throwFailure()
    const { generation } = membership
    // While a handler is stuck this is no member, and kafkajs still the same run of the consumer.
    const memberId = membership.memberId || request.memberId
    // A leader would refresh its metadata and plan. Who leads is put right in the event.
    const leaderId = events.found ? '' : membership.leaderId
    return { errorCode: 0, generationId: generation, leaderId, memberId, members: [], groupProtocol: cooperativeName }
  }

  async syncGroup(
    next: Next<SyncGroupRequest, SyncGroupResponse>,
    request: SyncGroupRequest,
  ): Promise<SyncGroupResponse> {
    if (!this.cooperates) return next(request)
    // kafkajs drops its positions on the answer: not between the end of a batch and its commit.
    await nextMacrotask()
    return { errorCode: 0, memberAssignment: toBuffer(writeAssignment({ partitions: this.assignment.hand() })) }
  }

  async heartbeat(next: Next<HeartbeatRequest, unknown>, request: HeartbeatRequest): Promise<unknown> {
    if (!this.cooperates) return next(request)
    const { membership, activity } = this.parts
    activity.sign()
    this.participation.throwFailure()
    // kafkajs emits this object as HEARTBEAT.
    request.memberId = membership.memberId
    request.groupGenerationId = membership.generation
    return { errorCode: 0 }
  }

  async leaveGroup(next: Next<LeaveGroupRequest, unknown>, request: LeaveGroupRequest): Promise<unknown> {
    if (!this.cooperates) return next(request)
    // kafkajs ends it because of an outage and starts it again: it would be off the group the moment the coordinator is back.
    const comesBack = this.parts.outages.handedOver
    this.hasLeft = !comesBack
    await this.participation.end(comesBack)
    return { errorCode: 0 }
  }

  async offsetCommit(next: Next<OffsetCommitRequest, unknown>, request: OffsetCommitRequest): Promise<unknown> {
    if (!this.cooperates) return next(request)
    const { activity, commits, outages } = this.parts
    activity.sign()
    return outages.watch(commits.commit(request))
  }

  async offsetFetch(next: Next<OffsetFetchRequest, unknown>, request: OffsetFetchRequest): Promise<unknown> {
    if (!this.cooperates) return next(request)
    const { coordinator, membership, commits, placement, outages } = this.parts
    // From the same arrays; and a partition that the user has paused is not asked for in any other way.
    placement.requested(keysOfRequest(request))
    // kafkajs asks again after an error: it has waited for a session already.
    const patience = outages.handedOver ? 0 : membership.sessionTimeout
    const answer = (await outages.watch(
      coordinator.persist(patience, broker => broker.offsetFetch(request)),
    )) as OffsetFetchAnswer
    for (const { topic, partitions } of answer.responses)
      for (const each of partitions) each.offset = commits.underWay(keyOf(topic, each.partition)) ?? each.offset
    return answer
  }

  async fetch(next: Next<FetchRequest, FetchResponse>, request: FetchRequest, broker: Broker): Promise<FetchResponse> {
    if (!this.cooperates) return next(request)
    const { outages, fetchPath } = this.parts
    // A broker that takes connections and answers no fetch is out of reach all the same.
    return outages.tolerate(`fetch from ${broker.nodeId}`, () => fetchPath.fetch(next, request, broker))
  }

  /** For a fetch. When kafkajs starts again it looks for the coordinator by this, and has to see what is wrong. */
  findBroker(next: () => Promise<Broker>, nodeId: number | string): Promise<Broker> {
    return this.isConsuming ? this.parts.outages.tolerate(`connection to ${nodeId}`, next) : next()
  }

  /** To join again, with the answers at hand, takes no coordinator. */
  async findGroupCoordinator(next: () => Promise<Broker>): Promise<Broker> {
    const { coordinator } = this.parts.session
    return this.isConsuming && coordinator ? coordinator : next()
  }

  /** Nor does it take fresh metadata, which kafkajs wants first: what an outage comes to is for the fetches to say. */
  async refreshMetadata(next: () => Promise<void>): Promise<void> {
    try {
      await next()
    } catch (error) {
      if (!this.isConsuming || this.parts.outages.handedOver || !isUnreachable(error)) throw error
    }
  }

  getNodeIds(next: () => (number | string)[]): (number | string)[] {
    const nodes = next()
    if (this.cooperates) this.spinGuard.check(nodes.length)
    return nodes
  }

  /** kafkajs' OffsetManager would look for a new coordinator: commits go over connections of our own. */
  isConnected(): boolean | undefined {
    return this.cooperates && !this.isOut ? true : undefined
  }

  committedOffsets(next: () => CommittedOffsets): CommittedOffsets {
    return this.cooperates ? this.parts.table : next()
  }

  refreshMetadataIfNecessary(next: () => Promise<void>): Promise<void> {
    return this.cooperates ? this.fetchStart.begin(next) : next()
  }

  /** After stop(), which has left the group; after an error, without; or while kafkajs joins. */
  async disconnect(): Promise<void> {
    if (!this.cooperates) return
    const { participation, mayComeBack } = this
    this.mayComeBack = false
    if (!this.isOut) await participation.end(!participation.isJoiningFirst)
    // Once more, while a restart is due: it will not come. If one has failed, CRASH tells whether there will be another.
    else if (!mayComeBack) await participation.stayAway()
  }

  /** kafkajs has been given an assignment, and the membership that brought it goes on. */
  private get isConsuming(): boolean {
    return this.cooperates && this.assignment.handed && !this.isOut
  }

  private get isOut(): boolean {
    return this.parts.membership.state === 'out'
  }

  /** kafkajs joins again by itself when a topic that it reads has grown. */
  private lookForNewPartitions(): void {
    const { membership, session, growth } = this.parts
    if (membership.isLeader) void session.watch.check()
    else growth.schedule()
  }
}

function keysOfRequest({ topics }: OffsetFetchRequest): Set<PartitionKey> {
  return new Set(topics.flatMap(({ topic, partitions }) => partitions.map(({ partition }) => keyOf(topic, partition))))
}

interface OffsetFetchAnswer {
  responses: { topic: string; partitions: { partition: number; offset: string }[] }[]
}
