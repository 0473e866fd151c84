import { brokerView } from './broker-view'
import type { Interception } from './intercept'
import type { Broker, MetadataResponse } from './internals'

/** What the cluster says about one existing topic. */
export interface TopicState {
  /** Racks of each partition's replicas, without repetition; a rack that is not known is null. */
  readonly racks: readonly (readonly (string | null)[])[]
}

export interface TopicStates {
  /** Topics that have partitions. */
  readonly found: ReadonlyMap<string, TopicState>
  /** Kafka's error code of each topic that the cluster does not have, or does not show to this client. */
  readonly failed: ReadonlyMap<string, number>
}

/** Kafka's error codes that say something about one topic. */
export const topicErrors = { unknown: 3, leaderNotAvailable: 5, invalid: 17, unauthorized: 29 } as const

/** Names that Kafka allows; others are not asked for, so that no member can spoil the request. */
const legalName = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/

/**
 * Asks the cluster about topics, also those that the consumer does not subscribe. kafkajs' own calls would replace its
 * cached metadata, create missing topics (consumers allow it by default) and fail for all topics if one is unknown.
 * Throws if no broker answers.
 */
export async function readTopics(
  interception: Interception,
  topics: Iterable<string>,
  preferred?: Broker | null,
): Promise<TopicStates> {
  const found = new Map<string, TopicState>()
  const failed = new Map<string, number>()
  const legal: string[] = []
  for (const topic of new Set(topics))
    if (legalName.test(topic)) legal.push(topic)
    else failed.set(topic, topicErrors.invalid)
  if (legal.length === 0) return { found, failed }

  const response = await askAnyBroker(interception, legal, preferred)
  const rackOf = new Map(response.brokers.map(({ nodeId, rack }) => [nodeId, rack || null]))
  for (const { topic, topicErrorCode, partitionMetadata } of response.topicMetadata) {
    if (topicErrorCode !== 0 || partitionMetadata.length === 0) {
      failed.set(topic, topicErrorCode || topicErrors.leaderNotAvailable)
      continue
    }
    const racks: (string | null)[][] = Array.from({ length: partitionMetadata.length }, () => [])
    for (const { partitionId, replicas } of partitionMetadata)
      racks[partitionId] = [...new Set(replicas.map(node => rackOf.get(node) ?? null))]
    found.set(topic, { racks: Array.from(racks, entry => entry ?? []) })
  }
  for (const topic of legal) if (!found.has(topic) && !failed.has(topic)) failed.set(topic, topicErrors.unknown)
  return { found, failed }
}

async function askAnyBroker(
  { cluster, original }: Interception,
  topics: string[],
  preferred: Broker | null | undefined,
): Promise<MetadataResponse> {
  // After a restart kafkajs knows no broker but the one that it was told, until its own metadata have been read.
  const first = new Set([preferred, cluster.brokerPool?.seedBroker].filter(broker => broker?.isConnected()))
  const candidates = [
    ...[...first].map(broker => async () => broker!),
    ...cluster.getNodeIds().map(nodeId => () => original.findBroker({ nodeId })),
  ]
  let failure: unknown = new Error('no broker is known')
  for (const find of candidates) {
    try {
      return await ask(await find(), topics)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

async function ask(broker: Broker, topics: string[]): Promise<MetadataResponse> {
  // kafkajs throws the whole answer away if one topic has an error; unread, it has an error code for each topic.
  const asSent = brokerView(broker, (request, send) =>
    send({ ...request, response: { ...request.response, parse: async data => data } }),
  )
  if (asSent) return withoutCreating(asSent).metadata(topics)
  const answers: MetadataResponse = { brokers: [], topicMetadata: [] }
  let failure: unknown
  for (const topic of topics) {
    try {
      const answer = await withoutCreating(broker).metadata([topic])
      answers.brokers = answer.brokers
      answers.topicMetadata.push(...answer.topicMetadata)
    } catch (error) {
      const code = (error as { code?: unknown }).code
      if (!Object.values<unknown>(topicErrors).includes(code)) failure = error
      else answers.topicMetadata.push({ topic, topicErrorCode: code as number, partitionMetadata: [] })
    }
  }
  if (failure && answers.topicMetadata.length === 0) throw failure
  return answers
}

/** A view of the broker that does not let a question about a topic create it, whatever the consumer's setting. */
function withoutCreating(broker: Broker): Broker {
  return Object.create(broker, { allowAutoTopicCreation: { value: false } })
}
