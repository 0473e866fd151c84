// Its Buffer is part of the public types, as it is of kafkajs' own, which ask for the types of node in the same way.
/// <reference types="node" preserve="true" />

/**
 * The shapes of kafkajs 2.2.x that this package touches, narrowed structurally: kafkajs' own types leave most of them
 * out, and frameworks carry copies of those types. Everything that is not public API is optional here, so that each
 * use has to look before it leaps.
 */

/** What a member says of itself under one protocol name. */
export interface GroupProtocol {
  name: string
  metadata: Buffer
}

/** A member as the leader is told of it, in the bytes that it sent. */
export interface GroupMember {
  memberId: string
  /** Since JoinGroup v5; kafkajs passes it on though its types leave it out. */
  groupInstanceId?: string | null
  memberMetadata: Buffer
}

export interface JoinGroupRequest {
  groupId: string
  sessionTimeout: number
  rebalanceTimeout: number
  memberId: string
  groupProtocols: GroupProtocol[]
}

export interface JoinGroupResponse {
  errorCode: number
  generationId: number
  groupProtocol: string
  leaderId: string
  memberId: string
  /** Filled for the leader only. */
  members: GroupMember[]
}

/** What the leader sends to one member, as bytes. */
export interface MemberAssignment {
  memberId: string
  memberAssignment: Buffer
}

export interface SyncGroupRequest {
  groupId: string
  generationId: number
  memberId: string
  groupAssignment: MemberAssignment[]
}

export interface SyncGroupResponse {
  errorCode: number
  memberAssignment: Buffer
}

/** kafkajs emits this very object as the payload of its HEARTBEAT event. */
export interface HeartbeatRequest {
  groupId: string
  memberId: string
  groupGenerationId: number
}

export interface LeaveGroupRequest {
  groupId: string
  memberId: string
}

export interface OffsetCommitRequest {
  groupId: string
  groupGenerationId: number
  memberId: string
  topics: { topic: string; partitions: OffsetCommitPartition[] }[]
}

/** Partition ids of automatic commits are strings, those of `commitOffsets` numbers. */
export interface OffsetCommitPartition {
  partition: number | string
  offset: unknown
  metadata?: string | null
}

export interface OffsetFetchRequest {
  groupId: string
  topics: { topic: string; partitions: { partition: number }[] }[]
}

export interface FetchRequest {
  maxWaitTime: number
  topics: { topic: string; partitions: FetchRequestPartition[] }[]
  [field: string]: unknown
}

export interface FetchRequestPartition {
  partition: number
  fetchOffset: string | number
  maxBytes: number
  currentLeaderEpoch?: number
}

export interface FetchResponse {
  responses: { topicName: string; partitions: FetchResponsePartition[] }[]
  [field: string]: unknown
}

export interface FetchResponsePartition {
  partition: number
  errorCode: number
  highWatermark: string
  preferredReadReplica?: number
  abortedTransactions?: unknown[] | null
  messages: FetchedMessage[]
  [field: string]: unknown
}

export interface FetchedMessage {
  offset: string
  isControlRecord?: boolean
  [field: string]: unknown
}

/** A broker as `cluster.findBroker` and `cluster.findGroupCoordinator` return it. */
export interface Broker {
  nodeId: number | string | null
  isConnected(): boolean
  connect(): Promise<void>
  disconnect(): Promise<void>
  metadata(topics: string[]): Promise<MetadataResponse>
  joinGroup(request: JoinGroupRequest): Promise<JoinGroupResponse>
  syncGroup(request: SyncGroupRequest): Promise<SyncGroupResponse>
  heartbeat(request: HeartbeatRequest): Promise<unknown>
  leaveGroup(request: LeaveGroupRequest): Promise<unknown>
  offsetCommit(request: OffsetCommitRequest): Promise<unknown>
  offsetFetch(request: OffsetFetchRequest): Promise<unknown>
  fetch(request: FetchRequest): Promise<FetchResponse>
  describeGroups?(request: { groupIds: string[] }): Promise<{
    groups: { groupId: string; state: string; members: MemberAssignment[] }[]
  }>
  connectionPool?: ConnectionPool
  versions?: unknown
  [member: string]: unknown
}

/** What a broker gives its connection pool to send. */
export interface ProtocolRequest {
  response?: { parse?(data: unknown): Promise<unknown> }
  logResponseError?: boolean
  [field: string]: unknown
}

export interface ConnectionPool {
  send?(request: ProtocolRequest): Promise<unknown>
  host?: string
  port?: number
  rack?: string | null
  pool?: Connection[]
  [member: string]: unknown
}

/** One socket of a pool. */
export interface Connection {
  requestQueue?: { instrumentationEmitter?: InstrumentationEmitter }
  isConnected?(): boolean
  connect?(): Promise<unknown>
  /** Of an answer that is not whole yet: its pieces, their length, and how long they have to be. */
  chunks?: Buffer[]
  bytesBuffered?: number
  bytesNeeded?: number
  rejectRequests?(error: Error): void
  disconnect?(): Promise<unknown>
  socket?: { destroy(): unknown; destroyed?: boolean } | undefined
}

/** kafkajs' wrapper around one EventEmitter per consumer. */
export interface InstrumentationEmitter {
  addListener(eventName: string, listener: (event: { payload: unknown }) => void): () => void
  emit(eventName: string, payload?: unknown): void
  /** The EventEmitter inside. */
  emitter?: unknown
}

export interface PartitionMetadata {
  partitionErrorCode: number
  partitionId: number
  leader: number
  replicas: number[]
  isr: number[]
}

export interface MetadataResponse {
  brokers: { nodeId: number; host: string; port: number; rack: string | null }[]
  topicMetadata: { topic: string; topicErrorCode: number; partitionMetadata: PartitionMetadata[] }[]
}

/** Offsets by topic and partition. */
export type CommittedOffsets = Record<string, Record<string, string>>

export interface Cluster {
  findBroker(options: { nodeId: number | string }): Promise<Broker>
  findGroupCoordinator(options: { groupId: string }): Promise<Broker>
  findTopicPartitionMetadata(topic: string): PartitionMetadata[]
  refreshMetadata(): Promise<void>
  refreshMetadataIfNecessary(): Promise<void>
  disconnect(): Promise<void>
  isConnected(): boolean
  getNodeIds(): (number | string)[]
  targetTopics?: Set<string>
  committedOffsets?(options: { groupId: string }): CommittedOffsets
  findGroupCoordinatorMetadata?(options: {
    groupId: string
    coordinatorType: number
  }): Promise<{ coordinator: { nodeId: number; host: string; port: number } }>
  removeBroker?(address: { host: string; port: number }): void
  brokerPool?: BrokerPool
  connectionPoolBuilder?: {
    build(options?: { host: string; port: number; rack?: string | null }): Promise<ConnectionPool>
  }
  rootLogger?: unknown
  [member: string]: unknown
}

export interface BrokerPool {
  metadata?: MetadataResponse | null
  versions?: unknown
  allowAutoTopicCreation?: boolean
  metadataMaxAge?: number
  seedBroker?: Broker
  brokers?: Record<string, Broker>
  createBroker?(options: Record<string, unknown>): Broker
  [member: string]: unknown
}

/** The logger that kafkajs hands to an assigner factory. */
export interface KafkaJSLogger {
  info(message: string, extra?: object): void
  warn(message: string, extra?: object): void
  error(message: string, extra?: object): void
  debug(message: string, extra?: object): void
  namespace?(name: string): KafkaJSLogger
}
