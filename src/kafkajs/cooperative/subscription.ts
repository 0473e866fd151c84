import {
  encodeCooperativeUserData,
  encodeStickyUserData,
  encodeSubscription,
  type TopicPartitions,
} from '../../protocol'
import type { ConsumerSession } from '../consumer-session'
import { toBuffer } from '../group-plan'
import { listOf, type PartitionKey } from './partition-key'

/** Kafka's name of the protocol. */
export const cooperativeName = 'cooperative-sticky'

/**
 * What a cooperative member sends in JoinGroup: what it may still be working on as held claims, with the generation of
 * the last successful SyncGroup. One that holds nothing but had something (its membership was lost, or it was stopped)
 * sends that as released claims in userData; otherwise userData are Java's, the generation alone.
 */
export function cooperativeSubscription(
  session: ConsumerSession,
  topics: readonly string[],
  owned: readonly PartitionKey[],
): Buffer {
  const { state, options } = session
  const existing = ({ topic, partitions }: TopicPartitions): TopicPartitions => {
    const count = session.cachedPartitions(topic)
    // A claim beyond the partition count makes Java's leaders throw (the topic was deleted and made anew, smaller).
    return { topic, partitions: count === 0 ? partitions : partitions.filter(partition => partition < count) }
  }
  const subscribed = new Set(topics)
  const ownedPartitions = listOf(owned)
    .filter(({ topic }) => subscribed.has(topic))
    .map(existing)
  const generationId = state.membership?.generation ?? null
  const released = owned.length === 0 ? state.claims(topics).map(existing) : []
  const userData =
    released.length > 0 ? encodeStickyUserData(released, generationId) : encodeCooperativeUserData(generationId)
  return toBuffer(
    encodeSubscription({ topics, ownedPartitions, generationId, userData, rackId: options.rackId ?? null }),
  )
}
