import type { LiveTopic } from '../../cluster'
import type { TopicPartitions } from '../../protocol'

export interface Lag {
  /** Records between the committed offsets and the ends. */
  readonly records: number
  /** Partitions for which the group has committed nothing; they are not in `records`. */
  readonly partitionsWithoutCommit: number
}

/** Null if the offsets of one of the topics could not be read. */
export function lagOf(list: readonly TopicPartitions[], topics: readonly LiveTopic[]): Lag | null {
  const offsetsOf = new Map(topics.map(({ topic, offsets }) => [topic, offsets]))
  let records = 0
  let partitionsWithoutCommit = 0
  for (const { topic, partitions } of list) {
    const offsets = offsetsOf.get(topic)
    if (!offsets) return null
    for (const partition of partitions) {
      const { committed = null, end = 0 } = offsets[partition] ?? {}
      if (committed === null) partitionsWithoutCommit++
      else records += Math.max(0, end - committed)
    }
  }
  return { records, partitionsWithoutCommit }
}

export function totalLag(topics: readonly LiveTopic[]): Lag | null {
  const existing = topics.filter(({ partitions }) => partitions > 0)
  return lagOf(
    existing.map(({ topic, partitions }) => ({ topic, partitions: Array.from({ length: partitions }, (_, p) => p) })),
    topics,
  )
}
