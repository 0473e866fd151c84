import { StickyAssignorError } from '../errors'
import { type Log, logTo, logToMessageFirst } from '../report/logger'
import type { AssignerConfig } from './assigner'
import { CallbackRunner } from './callbacks'
import { GoneTopics } from './gone-topics'
import { type Interception, interceptCluster } from './intercept'
import type { Broker, Cluster, KafkaJSLogger } from './internals'
import { GroupLeader } from './leader'
import { MemberState } from './member-state'
import { type AssignorOptions, mergeOptions } from './options'
import { Telemetry } from './telemetry'
import { readTopics, type TopicStates } from './topic-metadata'
import { metadataMaxAge, TopicWatch } from './topic-watch'

/** Namespace of our lines in the consumer's kafkajs logger. */
const logNamespace = 'StickyAssignor'

/** Everything that the assigners of one consumer share. Two consumers never share one. */
export class ConsumerSession {
  readonly state = new MemberState()
  readonly telemetry = new Telemetry(this)
  readonly callbacks: CallbackRunner
  readonly leader: GroupLeader
  readonly watch: TopicWatch
  readonly goneTopics: GoneTopics
  options: AssignorOptions = {}
  log: Log
  /** The consumer's subscription, as kafkajs told it last. */
  topics: readonly string[] = []
  /** The group's coordinator as seen last. */
  coordinator: Broker | null = null
  /** Why this member wants the group to rebalance; cleared when it joins. */
  wantsRejoin: string | null = null

  constructor(
    readonly groupId: string,
    readonly interception: Interception,
    kafkaLogger: KafkaJSLogger,
  ) {
    this.log = logToMessageFirst(namespaced(kafkaLogger))
    this.callbacks = new CallbackRunner(
      () => this.log,
      groupId,
      callback => this.telemetry.callbackFailed(callback),
    )
    this.state.onLeft = () => this.telemetry.left()
    this.leader = new GroupLeader(this)
    this.goneTopics = new GoneTopics(interception, () => this.log)
    interception.addLayer(this.goneTopics)
    this.watch = new TopicWatch(
      topics => this.readTopics(topics),
      metadataMaxAge(interception.cluster),
      () => this.log,
      reason => {
        this.wantsRejoin = reason
      },
    )
  }

  /** Adds the options of one more assigner; those of the first in the list win. */
  addOptions(options: AssignorOptions): void {
    this.options = mergeOptions(this.options, options)
    if (this.options.logger) this.log = logTo(this.options.logger)
  }

  readTopics(topics: Iterable<string>): Promise<TopicStates> {
    return readTopics(this.interception, topics, this.coordinator)
  }

  /** Partition count in kafkajs' cached metadata, 0 where it has none. */
  cachedPartitions(topic: string): number {
    try {
      return this.interception.cluster.findTopicPartitionMetadata(topic).length
    } catch {
      return 0
    }
  }
}

const sessions = new WeakMap<object, ConsumerSession>()

/** The session of the consumer that `config` belongs to; kafkajs gives each consumer a cluster of its own. */
export function sessionOf({ groupId, cluster, logger }: AssignerConfig): ConsumerSession {
  const known = sessions.get(cluster as object)
  if (known) return known
  if (!isCluster(cluster))
    throw new StickyAssignorError(
      'STICKY_ERR_INVALID_OPTION',
      'cluster',
      'cluster: expected the cluster that kafkajs passes to the factories in partitionAssigners',
    )
  const session = new ConsumerSession(groupId, interceptCluster(cluster), logger)
  sessions.set(cluster, session)
  return session
}

const needed = ['findBroker', 'findGroupCoordinator', 'findTopicPartitionMetadata', 'refreshMetadata', 'disconnect']

function isCluster(cluster: unknown): cluster is Cluster {
  return (
    typeof cluster === 'object' &&
    cluster !== null &&
    needed.every(name => typeof (cluster as Cluster)[name] === 'function')
  )
}

function namespaced(logger: KafkaJSLogger): KafkaJSLogger {
  try {
    return logger.namespace?.(logNamespace) ?? logger
  } catch {
    return logger
  }
}
