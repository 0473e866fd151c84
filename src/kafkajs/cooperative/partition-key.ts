import type { TopicPartitions } from '../../protocol'

/** A partition as an element of a set or a key of a map. */
export type PartitionKey = `${number}:${string}`

/** kafkajs gives partition ids as strings in automatic commits. */
export function keyOf(topic: string, partition: number | string): PartitionKey {
  return `${Number(partition)}:${topic}`
}

export function partitionOf(key: PartitionKey): { topic: string; partition: number } {
  const colon = key.indexOf(':')
  return { topic: key.slice(colon + 1), partition: Number(key.slice(0, colon)) }
}

export function keysOf(list: readonly TopicPartitions[]): Set<PartitionKey> {
  return new Set(list.flatMap(({ topic, partitions }) => partitions.map(partition => keyOf(topic, partition))))
}

/** One entry a topic; topics and partitions ascending. */
export function listOf(keys: Iterable<PartitionKey>): TopicPartitions[] {
  const byTopic = new Map<string, number[]>()
  for (const key of keys) {
    const { topic, partition } = partitionOf(key)
    const partitions = byTopic.get(topic)
    if (partitions) partitions.push(partition)
    else byTopic.set(topic, [partition])
  }
  return [...byTopic.keys()].sort().map(topic => ({ topic, partitions: byTopic.get(topic)!.sort((a, b) => a - b) }))
}
