import type { TopicPartitions } from '../planner/types'

/**
 * Ascending partition ids by topic. The object has no prototype, so that a topic may be called `constructor` or
 * `__proto__`.
 */
export type PartitionsByTopic = Record<string, number[]>

/** A fresh `PartitionsByTopic`, topics and partitions ascending, topics without a partition left out. */
export function partitionsByTopic(list: readonly TopicPartitions[]): PartitionsByTopic {
  const byTopic = Object.create(null) as PartitionsByTopic
  for (const { topic, partitions } of [...list].sort((a, b) => compare(a.topic, b.topic)))
    if (partitions.length > 0) byTopic[topic] = [...partitions].sort((a, b) => a - b)
  return byTopic
}

export function countPartitions(list: readonly TopicPartitions[]): number {
  return list.reduce((sum, { partitions }) => sum + partitions.length, 0)
}

/** What `from` holds and `without` does not. */
export function subtract(from: readonly TopicPartitions[], without: readonly TopicPartitions[]): TopicPartitions[] {
  const removed = new Map(without.map(({ topic, partitions }) => [topic, new Set(partitions)]))
  return from
    .map(({ topic, partitions }) => ({ topic, partitions: partitions.filter(p => !removed.get(topic)?.has(p)) }))
    .filter(({ partitions }) => partitions.length > 0)
}

/** `orders 0-3,7 · audit 1`, cut after `limit` characters. */
export function describePartitions(list: readonly TopicPartitions[], limit = 300): string {
  const text = list.map(({ topic, partitions }) => `${topic} ${ranges(partitions)}`).join(' · ')
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}

function ranges(partitions: readonly number[]): string {
  const parts: string[] = []
  for (let i = 0; i < partitions.length; i++) {
    const first = partitions[i]!
    while (partitions[i + 1] === partitions[i]! + 1) i++
    parts.push(partitions[i] === first ? `${first}` : `${first}-${partitions[i]}`)
  }
  return parts.join(',')
}

/** By UTF-16 code unit, as Kafka compares strings. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
