import type { ConsumerConfig, Kafka, PartitionAssigner as KafkaJSPartitionAssigner } from 'kafkajs'
import { claimsOf, decodeSubscription } from '../../protocol'
import type { Assigner, AssignerConfig, PartitionAssigner } from '../assigner'
import type { Cluster } from '../internals'
import type { FakeKafka } from './fake-kafka'
import { type ConsumerGroup, ConsumerGroupClass, EmitterClass } from './kafkajs-internals'

export interface ScriptedOptions {
  clientId: string
  groupId?: string
  topics: string[]
  assigners: PartitionAssigner[]
  consumer?: Partial<ConsumerConfig>
  sessionTimeout?: number
  autoCommit?: boolean
}

/** What a member said of itself in a JoinGroup. */
export interface Said {
  topics: readonly string[]
  /** "topic-partition", ascending. */
  claims: string[]
  generation: number | null
}

/**
 * A consumer whose every step the test takes: kafkajs' own Cluster and ConsumerGroup over a FakeKafka, made as
 * `kafka.consumer()` makes them, without the fetch loop.
 */
export class ScriptedConsumer {
  readonly client: Kafka
  readonly cluster: Cluster
  readonly assigners: Assigner[] = []
  group!: ConsumerGroup
  private readonly emitter = new EmitterClass()
  readonly events: { name: string; payload: unknown }[] = []

  private constructor(
    readonly kafka: FakeKafka,
    readonly options: ScriptedOptions,
  ) {
    this.client = kafka.client(options.clientId)
    let cluster: unknown
    const watched = options.assigners.map(create => (config: AssignerConfig) => {
      cluster = config.cluster
      const assigner = create(config)
      this.assigners.push(assigner)
      return assigner
    })
    this.client.consumer({
      groupId: this.groupId,
      partitionAssigners: watched as KafkaJSPartitionAssigner[],
      ...options.consumer,
    })
    this.cluster = cluster as Cluster
    kafka.attach(cluster, options.clientId, this.emitter)
    for (const name of ['consumer.group_join', 'consumer.commit_offsets', 'consumer.received_unsubscribed_topics'])
      this.emitter.addListener(name, ({ payload }) => this.events.push({ name, payload }))
  }

  /** Connects and subscribes; the join is left to the test. */
  static async start(kafka: FakeKafka, options: ScriptedOptions): Promise<ScriptedConsumer> {
    const consumer = new ScriptedConsumer(kafka, options)
    await consumer.connect()
    await consumer.subscribe(options.topics)
    consumer.run()
    return consumer
  }

  get groupId(): string {
    return this.options.groupId ?? 'group'
  }

  get memberId(): string {
    return this.group.memberId!
  }

  async connect(): Promise<void> {
    await (this.cluster.connect as () => Promise<void>)()
  }

  async subscribe(topics: string[]): Promise<void> {
    await (this.cluster.addMultipleTargetTopics as (topics: string[]) => Promise<void>)(topics)
    this.options.topics = topics
  }

  /** What consumer.run() does, also after a stop or a crash: a new ConsumerGroup around the same assigners. */
  run(): void {
    this.group = new ConsumerGroupClass({
      logger: this.client.logger(),
      topics: this.options.topics,
      topicConfigurations: Object.fromEntries(this.options.topics.map(topic => [topic, {}])),
      retry: { retries: 5, initialRetryTime: 1, maxRetryTime: 2 },
      cluster: this.cluster,
      groupId: this.groupId,
      assigners: this.assigners,
      sessionTimeout: this.options.sessionTimeout ?? 30_000,
      rebalanceTimeout: 60_000,
      maxBytesPerPartition: 1,
      minBytes: 1,
      maxBytes: 1,
      maxWaitTimeInMs: 1,
      instrumentationEmitter: this.emitter,
      isolationLevel: 1,
      rackId: '',
      metadataMaxAge: 300_000,
      autoCommit: this.options.autoCommit ?? false,
    })
  }

  /** JoinGroup and SyncGroup, as kafkajs does after a rebalance error. */
  join(): Promise<void> {
    return this.group.joinAndSync()
  }

  /** One heartbeat now; rejects with what the coordinator says. */
  heartbeat(): Promise<void> {
    this.group.lastRequest = 0
    return this.group.heartbeat({ interval: 0 })
  }

  /** One turn of the fetcher of a broker. */
  async fetch(nodeId = 1): Promise<unknown[]> {
    this.emitter.emit('consumer.fetch_start', { nodeId })
    return this.group.fetch(nodeId)
  }

  /** A worker begins with a batch; its handler is up to the test. */
  batchStarted(topic: string, partition: number): void {
    this.emitter.emit('consumer.start_batch_process', { topic, partition })
  }

  batchEnded(topic: string, partition: number): void {
    this.emitter.emit('consumer.end_batch_process', { topic, partition })
  }

  /** consumer.stop() */
  async stop(): Promise<void> {
    await this.group.leave()
    this.emitter.emit('consumer.stop', {})
  }

  /** The end of consumer.disconnect(). */
  async disconnect(): Promise<void> {
    await this.cluster.disconnect()
  }

  /** A crash without LeaveGroup, up to its event. */
  async crash({ restart }: { restart: boolean }): Promise<void> {
    await this.disconnect()
    this.emitter.emit('consumer.crash', { restart })
  }

  /** A crash of a start that did not get as far as JoinGroup; another start is to come. */
  async failedToStart(): Promise<void> {
    this.emitter.emit('consumer.stop', {})
    await this.crash({ restart: true })
  }

  /** What kafkajs does after a crash, up to the join. */
  async startAgain(): Promise<void> {
    await this.connect()
    await this.cluster.refreshMetadata()
    this.run()
  }

  /** kafkajs' answer to the move of a partition's leadership: a rejoin outside of a rebalance. */
  async leadershipMoved(): Promise<void> {
    await this.group.recoverFromFetch(Object.assign(new Error('moved'), { type: 'NOT_LEADER_FOR_PARTITION' }))
  }

  /** "topic-partition" as kafkajs has it, ascending. */
  get assigned(): string[] {
    return keys(this.group.assigned())
  }

  /** The metadata of this client's JoinGroups under one protocol, oldest first. */
  sentMetadata(protocol = this.assigners[0]!.name): Buffer[] {
    return this.kafka.requests
      .filter(({ api, clientId }) => api === 'JoinGroup' && clientId === this.options.clientId)
      .map(({ request }) => request as { protocols: { name: string; metadata: Buffer }[] })
      .map(({ protocols }) => protocols.find(({ name }) => name === protocol)!.metadata)
  }

  /** What its last JoinGroup said. */
  said(protocol = this.assigners[0]!.name): Said {
    return readMetadata(this.sentMetadata(protocol).at(-1)!, protocol)
  }
}

export function readMetadata(bytes: Buffer, protocol: string): Said {
  const subscription = decodeSubscription(bytes)
  const { owned, released, generation } = claimsOf(subscription, protocol)
  return { topics: subscription.topics, claims: keys([...owned, ...released]), generation }
}

function keys(list: readonly { topic: string; partitions: readonly number[] }[]): string[] {
  return list.flatMap(({ topic, partitions }) => [...partitions].sort((a, b) => a - b).map(p => `${topic}-${p}`)).sort()
}

/** A round of the group with exactly these members: each joins, one of them leads. */
export async function rebalance(...consumers: ScriptedConsumer[]): Promise<void> {
  const group = consumers[0]!.kafka.group(consumers[0]!.groupId)
  group.expected = consumers.length
  group.prepare()
  // What a heartbeat tells each member that was in the group before.
  for (const consumer of consumers) if (consumer.group.memberId) await consumer.heartbeat().catch(() => {})
  await Promise.all(consumers.map(consumer => consumer.join()))
  group.expected = 1
  const failure = consumers[0]!.kafka.logs.find(({ fields }) => fields.event === 'plan-failed')
  if (failure && !consumers[0]!.kafka.planFailuresExpected) throw new Error(String(failure.fields.error))
}
