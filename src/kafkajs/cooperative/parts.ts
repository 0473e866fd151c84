import type { ConsumerSession } from '../consumer-session'
import { GrowthCheck } from '../growth-check'
import type { CommittedOffsets } from '../internals'
import { Activity } from './activity'
import { CommitGate } from './commit-gate'
import { CommitSender } from './commit-sender'
import { ConsumerEvents, type EventHandlers } from './consumer-events'
import { Coordinator } from './coordinator'
import { Naps } from './deferred'
import { Fence, generationOf } from './fence'
import { FetchPath } from './fetch-path'
import { LoopProbe } from './gated-messages'
import { Handover } from './handover'
import { LiveArrays } from './live-arrays'
import { Membership } from './membership'
import type { Round } from './membership-ports'
import { type CooperativeOptions, withDefaults } from './options'
import { Outages } from './outages'
import { PartitionCallbacks } from './partition-callbacks'
import { keyOf } from './partition-key'
import { Placement } from './placement'
import { ReadReplicas } from './read-replicas'
import { foreignCommit, RoundReporter } from './reporter'
import { Slices } from './slices'
import { cooperativeName, cooperativeSubscription } from './subscription'

/** The longest pause before a broker that could not be reached is tried again. */
const longestPauseMs = 2000

/** What happens at one of the parts and concerns several. */
export interface Signals extends Pick<EventHandlers, 'joined' | 'stopped' | 'crashed'> {
  /** A round has ended with an assignment for this member. */
  synced(round: Round): void
  /** What this member owned may belong to others already. */
  lost(reason: string): void
  /** An error that joining again does not cure. */
  failed(error: unknown): void
  hasFailed(): boolean
  /** Batches have ended. */
  progress(): void
  /** A fetcher begins a fetch, in this very tick. */
  fetching(node: string): void
  /** kafkajs has been given partitions and does not get on with them. */
  isStuck(): boolean
}

/** What a gateway consists of. Each part has one concern and knows no more of the others than it is given here. */
export type Parts = ReturnType<typeof assemble>

export function assemble(session: ConsumerSession, given: CooperativeOptions, signals: Signals) {
  const { interception, groupId } = session
  const options = withDefaults(given)
  const { fetchMaxWaitMs, maxPollIntervalMs } = options

  const naps = new Naps()
  const fence = new Fence()
  const slices = new Slices(options.maxRecordsPerFetch)
  const probe = new LoopProbe()
  /** kafkajs' own table is shared by all consumers of the group that one Kafka instance has. */
  const table: CommittedOffsets = {}
  const live = new LiveArrays(key => fence.trustPosition(key))
  const replicas = new ReadReplicas(interception.cluster)
  const growth = new GrowthCheck(session)
  const placement = new Placement(options.tier, live, replicas, missing => reporter.fellBack(missing))
  const activity = new Activity(
    fence,
    maxPollIntervalMs,
    () => interception.cluster.getNodeIds(),
    () => signals.progress(),
  )

  const coordinator: Coordinator = new Coordinator(groupId, interception, memberId => {
    membership.memberId = memberId
  })
  const membership: Membership = new Membership(
    coordinator,
    {
      beforeJoin: () => handover.settled(),
      protocol: () => ({
        name: cooperativeName,
        metadata: cooperativeSubscription(session, session.topics, fence.owned),
      }),
      plan: members => session.leader.assign(cooperativeName, members),
      joined: () => commits.close(),
      synced: round => signals.synced(round),
      unsynced: () => commits.open(),
      lost: reason => signals.lost(reason),
      failed: error => signals.failed(error),
      wantsRejoin: () => {
        const reason = session.wantsRejoin
        session.wantsRejoin = null
        return reason
      },
      isStuck: () => signals.isStuck(),
      unreachable: (error, failures) => reporter.unreachable(error, failures),
    },
    () => Math.min(options.heartbeatIntervalMs, Math.floor(membership.sessionTimeout / 3)),
  )
  const outages = new Outages(
    () => membership.sessionTimeout,
    failures => naps.take(Math.min(longestPauseMs, fetchMaxWaitMs * 2 ** (failures - 1))),
    () => interception.original.refreshMetadata().catch(() => {}),
  )

  const callbacks = new PartitionCallbacks(
    session,
    () => membership.memberId || (session.state.membership?.memberId ?? ''),
    () => Math.min(membership.sessionTimeout / 2, 2 ** 31 - 1),
  )
  const reporter: RoundReporter = new RoundReporter(session, callbacks, () => placement.current)

  const sender = new CommitSender(coordinator, membership, () => signals.hasFailed())
  const commits: CommitGate = new CommitGate(fence, table, options.foreignCommits, {
    identity: () => ({ memberId: membership.memberId, generation: membership.generation }),
    send: request => sender.send(request),
    mayRetry: failure => sender.mayRetry(failure),
    committedBehind: request => events.emitCommit(request),
    failedBehind: error => reporter.commitFailed(error),
    foreignCommitError: foreignCommit,
    dropped: (topic, partition) => reporter.commitDropped(topic, partition),
  })
  const handover: Handover = new Handover(fence, commits, options.drainTimeoutMs, {
    revoke: ownerships => callbacks.run('onPartitionsRevoked', ownerships, generationOf(ownerships)),
    surrendered: () => {
      placement.left()
      void membership.join('handed over what was revoked')
    },
  })

  const events: ConsumerEvents = new ConsumerEvents(
    {
      joined: payload => signals.joined(payload),
      stopped: () => signals.stopped(),
      crashed: willRestart => signals.crashed(willRestart),
      fetching: node => {
        signals.fetching(node)
        placement.fetching(node)
        activity.fetchBegins(node)
      },
      batchStarted: (topic, partition) => activity.batchStarted(keyOf(topic, partition)),
      batchEnded: (topic, partition) => activity.batchEnded(keyOf(topic, partition)),
    },
    error => reporter.listenerFailed(error),
  )
  const fetchPath = new FetchPath(fence, slices, table, probe, fetchMaxWaitMs, {
    leaseHolds: () => membership.leaseHolds,
    active: () => activity.sign(),
    idle: () => naps.take(fetchMaxWaitMs),
    requested: (node, keys) => {
      if (!events.found) activity.fetchBegins(node)
      placement.requested(keys)
    },
    preferred: (key, node) => replicas.prefer(key, node),
  })

  return {
    session,
    options,
    naps,
    fence,
    slices,
    probe,
    table,
    live,
    replicas,
    growth,
    placement,
    activity,
    coordinator,
    membership,
    outages,
    callbacks,
    reporter,
    commits,
    handover,
    events,
    fetchPath,
  }
}
