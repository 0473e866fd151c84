import type { Admin } from 'kafkajs'
import { failureOf } from './failure'

export interface TopicSize {
  /** 0 if the topic does not exist, or is not told. */
  readonly partitions: number
  /** Why it is not told; null also for a topic that does not exist. */
  readonly problem: string | null
}

/** Names that Kafka allows. Others are not asked for: a request with one fails as a whole. */
const legalName = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/

/** Partition counts. kafkajs fails for all topics of a request if one cannot be told: that one is found by halving. */
export async function readTopicSizes(admin: Admin, names: readonly string[]): Promise<Map<string, TopicSize>> {
  const sizes = new Map<string, TopicSize>()
  const ask = async (topics: readonly string[]): Promise<void> => {
    if (topics.length === 0) return
    try {
      const answer = await admin.fetchTopicMetadata({ topics: [...topics] })
      for (const { name, partitions } of answer.topics)
        sizes.set(name, { partitions: partitions.length, problem: null })
    } catch (error) {
      const { type } = failureOf(error)
      if (type === null) throw error
      if (topics.length === 1) {
        sizes.set(topics[0]!, { partitions: 0, problem: type === 'UNKNOWN_TOPIC_OR_PARTITION' ? null : type })
        return
      }
      const half = topics.length >> 1
      await ask(topics.slice(0, half))
      await ask(topics.slice(half))
    }
  }
  await ask(names.filter(name => legalName.test(name)))
  for (const name of names) if (!sizes.has(name)) sizes.set(name, { partitions: 0, problem: null })
  return sizes
}
