/** The classes of kafkajs that the tests run for real, without their types. */
import type { Broker, HeartbeatRequest } from '../internals'

/** kafkajs' own membership loop: what calls an assigner in production. */
export interface ConsumerGroup {
  memberId: string | null
  generationId: number | null
  leaderId: string | null
  coordinator: Broker
  connect(): Promise<void>
  joinAndSync(): Promise<void>
  heartbeat(options: { interval: number }): Promise<void>
  leave(): Promise<void>
  fetch(nodeId: number): Promise<unknown[]>
  commitOffsets(offsets?: object): Promise<void>
  resolveOffset(resolved: { topic: string; partition: number; offset: string }): void
  seek(to: { topic: string; partition: number; offset: string }): void
  offsetManager: { nextOffset(topic: string, partition: number): { toString(): string } }
  recoverFromFetch(error: unknown): Promise<void>
  assigned(): { topic: string; partitions: number[] }[]
  lastRequest: number
}

interface Decoder {
  readInt8(): number
  readInt16(): number
  readInt32(): number
  readInt64(): { toString(): string }
  readString(): string
  readBytes(): Buffer
  readBoolean(): boolean
  readArray<T>(read: (decoder: Decoder) => T): T[]
}

export const ConsumerGroupClass = require('kafkajs/src/consumer/consumerGroup') as new (
  options: Record<string, unknown>,
) => ConsumerGroup
export const EmitterClass = require('kafkajs/src/instrumentation/emitter') as new () => {
  addListener(name: string, listener: (event: { payload: unknown }) => void): () => void
  emit(name: string, payload: unknown): void
}
const DecoderClass = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => Decoder
export const { KafkaJSProtocolError, KafkaJSConnectionClosedError } = require('kafkajs/src/errors') as {
  KafkaJSProtocolError: new (error: { type: string; code: number; message: string }) => Error
  KafkaJSConnectionClosedError: new (message: string, address: { host: string; port: number }) => Error
}
export const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode(code: number): Error
}
export const apiKeys = require('kafkajs/src/protocol/requests/apiKeys') as Record<string, number>

/** What kafkajs' connection pool is given to send. */
export interface ProtocolRequest {
  request: { apiKey: number; apiName: string; encode(): Promise<{ buffer: Buffer }> }
  response: { parse(data: unknown): Promise<unknown> }
  /** Whether kafkajs logs an error answer at level ERROR; true where absent. */
  logResponseError?: boolean
}

export interface DecodedRequests {
  Metadata: { topics: string[] | null; allowAutoTopicCreation: boolean }
  GroupCoordinator: { groupId: string }
  JoinGroup: {
    groupId: string
    sessionTimeout: number
    rebalanceTimeout: number
    memberId: string
    protocols: { name: string; metadata: Buffer }[]
  }
  SyncGroup: {
    groupId: string
    generationId: number
    memberId: string
    assignments: { memberId: string; memberAssignment: Buffer }[]
  }
  Heartbeat: HeartbeatRequest
  LeaveGroup: { groupId: string; memberIds: string[] }
  DescribeGroups: { groupIds: string[] }
  OffsetCommit: { groupId: string; generationId: number; memberId: string }
  OffsetFetch: { topics: { topic: string; partitions: number[] }[] }
  ListOffsets: { topics: { topic: string; partitions: number[] }[] }
  Fetch: { topics: { topic: string; partitions: number[] }[] }
}

export type ApiName = keyof DecodedRequests

const readers: { [Api in ApiName]: (d: Decoder) => DecodedRequests[Api] } = {
  Metadata: d => ({ topics: d.readArray(each => each.readString()), allowAutoTopicCreation: d.readBoolean() }),
  GroupCoordinator: d => ({ groupId: d.readString() }),
  JoinGroup: d => {
    const groupId = d.readString()
    const sessionTimeout = d.readInt32()
    const rebalanceTimeout = d.readInt32()
    const memberId = d.readString()
    d.readString() // group.instance.id
    d.readString() // protocol type
    const protocols = d.readArray(each => ({ name: each.readString(), metadata: each.readBytes() }))
    return { groupId, sessionTimeout, rebalanceTimeout, memberId, protocols }
  },
  SyncGroup: d => {
    const groupId = d.readString()
    const generationId = d.readInt32()
    const memberId = d.readString()
    d.readString() // group.instance.id
    const assignments = d.readArray(each => ({ memberId: each.readString(), memberAssignment: each.readBytes() }))
    return { groupId, generationId, memberId, assignments }
  },
  Heartbeat: d => ({ groupId: d.readString(), groupGenerationId: d.readInt32(), memberId: d.readString() }),
  LeaveGroup: d => ({
    groupId: d.readString(),
    memberIds: d.readArray(each => {
      const memberId = each.readString()
      each.readString() // group.instance.id
      return memberId
    }),
  }),
  DescribeGroups: d => ({ groupIds: d.readArray(each => each.readString()) }),
  OffsetCommit: d => ({ groupId: d.readString(), generationId: d.readInt32(), memberId: d.readString() }),
  OffsetFetch: d => {
    d.readString() // group id
    return {
      topics: d.readArray(each => ({ topic: each.readString(), partitions: each.readArray(p => p.readInt32()) })),
    }
  },
  ListOffsets: d => {
    d.readInt32() // replica id
    d.readInt8() // isolation level
    const partition = (each: Decoder) => {
      const id = each.readInt32()
      each.readInt64() // timestamp
      return id
    }
    return { topics: d.readArray(each => ({ topic: each.readString(), partitions: each.readArray(partition) })) }
  },
  Fetch: d => {
    for (let i = 0; i < 4; i++) d.readInt32() // replica id, max wait, min bytes, max bytes
    d.readInt8() // isolation level
    d.readInt32() // session id
    d.readInt32() // session epoch
    const partition = (each: Decoder) => {
      const id = each.readInt32()
      each.readInt32() // leader epoch
      each.readInt64() // fetch offset
      each.readInt64() // log start
      each.readInt32() // max bytes
      return id
    }
    return { topics: d.readArray(each => ({ topic: each.readString(), partitions: each.readArray(partition) })) }
  },
}

/** What the bytes of a request say: the same that a broker would read. */
export function decodeRequest<Api extends ApiName>(api: Api, bytes: Buffer): DecodedRequests[Api] {
  return readers[api](new DecoderClass(bytes))
}
