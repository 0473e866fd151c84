import { Kafka, type KafkaConfig, logLevel } from 'kafkajs'
import { FakeGroup } from './fake-group'
import {
  type ApiName,
  apiKeys,
  type DecodedRequests,
  decodeRequest,
  KafkaJSConnectionClosedError,
  type ProtocolRequest,
} from './kafkajs-internals'

/** A topic's partition count, or one list of replicas (node ids) for each partition. */
type FakeTopic = number | number[][]

export interface LogLine {
  level: number
  namespace: string
  message: string
  fields: Record<string, unknown>
}

type Handlers = { [Api in ApiName]: (request: DecodedRequests[Api], clientId: string) => unknown }

/**
 * A Kafka in memory for kafkajs' own Cluster, Broker and ConsumerGroup: requests are encoded by kafkajs and decoded here
 * from their bytes, error codes become errors by kafkajs' own means. Only the sockets are missing.
 */
export class FakeKafka {
  readonly topics = new Map<string, FakeTopic>()
  /** Topics that this client may not describe. */
  readonly forbidden = new Set<string>()
  readonly nodes = new Map<number, { rack: string | null }>([[1, { rack: null }]])
  readonly groups = new Map<string, FakeGroup>()
  /** As the broker's auto.create.topics.enable; its default is true. */
  autoCreateTopics = true
  /** A plan that only the fallback made complete would hide a fault: a round then fails, unless it is awaited. */
  planFailuresExpected = false
  readonly requests: { api: ApiName; clientId: string; request: unknown }[] = []
  readonly logs: LogLine[] = []
  private readonly waiting: { clientId: string; waiting: Waiting }[] = []
  private readonly overrides: { api: ApiName; answer: (request: never, usual: () => unknown) => unknown }[] = []

  constructor(topics: Record<string, FakeTopic> = {}) {
    for (const [topic, partitions] of Object.entries(topics)) this.topics.set(topic, partitions)
  }

  group(groupId: string): FakeGroup {
    const known = this.groups.get(groupId)
    if (known) return known
    const group = new FakeGroup()
    this.groups.set(groupId, group)
    return group
  }

  /** The next request of this kind gets another answer; `usual` gives the usual one. */
  once<Api extends ApiName>(
    api: Api,
    answer: (request: DecodedRequests[Api], usual: () => Promise<never>) => unknown,
  ): void {
    this.overrides.push({ api, answer: answer as never })
  }

  /** What clients sent of one kind, oldest first. */
  sent<Api extends ApiName>(api: Api): DecodedRequests[Api][] {
    return this.requests.filter(each => each.api === api).map(each => each.request as DecodedRequests[Api])
  }

  client(clientId: string, config: Partial<KafkaConfig> = {}): Kafka {
    return new Kafka({
      clientId,
      brokers: ['fake:1'],
      logLevel: logLevel.DEBUG,
      logCreator:
        () =>
        ({ namespace, level, log }) => {
          const { message, timestamp: _, logger: __, ...fields } = log
          this.logs.push({ level, namespace, message, fields })
        },
      ...config,
    })
  }

  /** Puts this in the place of the sockets of a cluster that kafkajs made; each carries the consumer's emitter. */
  attach(cluster: unknown, clientId: string, instrumentationEmitter: unknown): void {
    const { connectionPoolBuilder } = cluster as { connectionPoolBuilder: { build: unknown } }
    connectionPoolBuilder.build = async ({ host = 'fake', port = 1, rack = null } = {}) => {
      let connected = false
      const waiting = new Waiting()
      this.waiting.push({ clientId, waiting })
      const connection = { getSupportAuthenticationProtocol: () => false, authenticate: async () => {} }
      return {
        host,
        port,
        rack,
        clientId,
        connectionTimeout: 1000,
        isConnected: () => connected,
        isAuthenticated: () => connected,
        getConnection: async () => {
          connected = true
          return connection
        },
        setVersions() {},
        setSupportAuthenticationProtocol() {},
        pool: [{ requestQueue: { instrumentationEmitter }, rejectRequests: (error: Error) => waiting.reject(error) }],
        send: (request: ProtocolRequest) => waiting.for(this.answer(request, clientId)),
        destroy: async () => {
          connected = false
        },
      }
    }
  }

  /** The connections of a client break: what waits for an answer gets none. */
  cut(clientId: string): void {
    const closed = new KafkaJSConnectionClosedError('Closed connection', { host: 'fake', port: 1 })
    for (const each of this.waiting) if (each.clientId === clientId) each.waiting.reject(closed)
  }

  private async answer(
    { request, response, logResponseError = true }: ProtocolRequest,
    clientId: string,
  ): Promise<unknown> {
    const api = request.apiName as ApiName | 'ApiVersions'
    if (api === 'ApiVersions') return { apiVersions: this.versions() }
    const decoded = decodeRequest(api, (await request.encode()).buffer)
    this.requests.push({ api, clientId, request: decoded })
    const usual = () => (this.handlers[api] as (request: unknown, clientId: string) => unknown)(decoded, clientId)
    const index = this.overrides.findIndex(override => override.api === api)
    const [override] = index < 0 ? [] : this.overrides.splice(index, 1)
    const data = await (override ? override.answer(decoded as never, usual) : usual())
    try {
      return await response.parse(data)
    } catch (error) {
      // As kafkajs' Connection does.
      if (logResponseError)
        this.logs.push({ level: logLevel.ERROR, namespace: 'Connection', message: `Response ${api}`, fields: {} })
      throw error
    }
  }

  private versions(): { apiKey: number; minVersion: number; maxVersion: number }[] {
    return Object.values(apiKeys).map(apiKey => ({ apiKey, minVersion: 0, maxVersion: 99 }))
  }

  private readonly handlers: Handlers = {
    Metadata: request => this.metadata(request),
    GroupCoordinator: () => ({ errorCode: 0, coordinator: { nodeId: 1, host: 'fake', port: 1 } }),
    JoinGroup: (request, clientId) => this.group(request.groupId).join(request, clientId),
    SyncGroup: request => this.group(request.groupId).sync(request),
    Heartbeat: ({ groupId, memberId, groupGenerationId }) => ({
      errorCode: this.group(groupId).heartbeat(memberId, groupGenerationId),
    }),
    LeaveGroup: ({ groupId, memberIds }) => ({
      errorCode: 0,
      members: memberIds.map(memberId => ({ memberId, errorCode: this.group(groupId).expel(memberId) })),
    }),
    DescribeGroups: ({ groupIds }) => ({
      groups: groupIds.map(groupId => ({ errorCode: 0, groupId, ...this.group(groupId).describe() })),
    }),
    OffsetCommit: () => ({ responses: [] }),
    OffsetFetch: ({ topics }) => ({
      errorCode: 0,
      responses: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(partition => ({ partition, offset: '-1', metadata: '', errorCode: 0 })),
      })),
    }),
    ListOffsets: ({ topics }) => ({
      responses: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(partition => ({ partition, offset: '0', errorCode: 0 })),
      })),
    }),
    Fetch: ({ topics }) => ({
      errorCode: 0,
      responses: topics.map(({ topic, partitions }) => ({
        topicName: topic,
        partitions: partitions.map(partition => ({
          partition,
          errorCode: this.topics.has(topic) ? 0 : 3,
          highWatermark: '0',
          abortedTransactions: [],
          preferredReadReplica: -1,
          messages: [],
        })),
      })),
    }),
  }

  private metadata({ topics, allowAutoTopicCreation }: DecodedRequests['Metadata']): unknown {
    const asked = topics && topics.length > 0 ? topics : [...this.topics.keys()]
    return {
      brokers: [...this.nodes].map(([nodeId, { rack }]) => ({ nodeId, host: 'fake', port: nodeId, rack })),
      controllerId: 1,
      topicMetadata: asked.map(topic => {
        if (!/^[a-zA-Z0-9._-]{1,249}$/.test(topic)) return { topic, topicErrorCode: 17, partitionMetadata: [] }
        if (this.forbidden.has(topic)) return { topic, topicErrorCode: 29, partitionMetadata: [] }
        if (!this.topics.has(topic) && allowAutoTopicCreation && this.autoCreateTopics) this.topics.set(topic, 1)
        const state = this.topics.get(topic)
        if (state === undefined) return { topic, topicErrorCode: 3, partitionMetadata: [] }
        const replicas = typeof state === 'number' ? Array.from({ length: state }, () => [1]) : state
        return {
          topic,
          topicErrorCode: 0,
          partitionMetadata: replicas.map((nodes, partitionId) => ({
            partitionErrorCode: 0,
            partitionId,
            leader: nodes[0],
            replicas: nodes,
            isr: nodes,
          })),
        }
      }),
    }
  }
}

/** The requests of one connection that have no answer yet. */
class Waiting {
  private readonly rejecters = new Set<(error: Error) => void>()

  for<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.rejecters.add(reject)
      void answer.then(resolve, reject).finally(() => this.rejecters.delete(reject))
    })
  }

  reject(error: Error): void {
    for (const reject of [...this.rejecters]) reject(error)
  }
}
