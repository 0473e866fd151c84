import type { TopicPartitions } from './types'
import { utf8Length } from './writer'

/**
 * Canonical form: one entry a topic, topics by UTF-16 code units (as Java compares strings), partitions ascending and
 * once each. Brokers compare metadata as bytes, so equal content has to be equal bytes (KAFKA-12898). What cannot be
 * written is left out: ids that are no partition (an integer from 0 to 2^31 - 1), topics without one, and names of
 * more than 32,767 bytes.
 */
export function canonicalPartitions(list: readonly TopicPartitions[]): readonly TopicPartitions[] {
  if (isCanonical(list)) return list
  const byTopic = new Map<string, number[]>()
  for (const { topic, partitions } of list) {
    const valid = partitions.filter(isPartitionId)
    if (valid.length === 0 || !isWritable(topic)) continue
    const known = byTopic.get(topic)
    if (known) for (const partition of valid) known.push(partition)
    else byTopic.set(topic, valid)
  }
  return [...byTopic.keys()].sort().map(topic => ({ topic, partitions: ascending(byTopic.get(topic)!) }))
}

/** Topic names in canonical form: ascending, once each. */
export function canonicalTopics(topics: readonly string[]): readonly string[] {
  return [...new Set(topics)].filter(isWritable).sort()
}

/** Whether a name fits Kafka's string: its length is an int16. */
export const isWritable = (name: string): boolean => name.length <= 10_922 || utf8Length(name) <= 0x7fff

function isCanonical(list: readonly TopicPartitions[]): boolean {
  let previousTopic: string | undefined
  for (const { topic, partitions } of list) {
    if (previousTopic !== undefined && !(previousTopic < topic)) return false
    previousTopic = topic
    if (partitions.length === 0 || !isWritable(topic)) return false
    let previous = -1
    for (const partition of partitions) {
      if (!(partition > previous) || !isPartitionId(partition)) return false
      previous = partition
    }
  }
  return true
}

function isPartitionId(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 0x7fffffff
}

function ascending(partitions: number[]): number[] {
  partitions.sort((a, b) => a - b)
  return partitions.filter((partition, i) => i === 0 || partition !== partitions[i - 1])
}
