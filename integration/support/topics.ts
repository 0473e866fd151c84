import type { Admin } from 'kafkajs'
import { until } from './wait'

/** Creates topics and waits until every partition has a leader and all its replicas. */
export async function createTopics(admin: Admin, topics: Record<string, number>, replication = 1): Promise<void> {
  await until('that as many brokers are there', async () => {
    const { brokers } = await admin.describeCluster()
    return brokers.length >= replication
  })
  // kafkajs' own waitForLeaders throws on a cluster when it asks a node that does not know the topic yet.
  await admin.createTopics({
    waitForLeaders: false,
    topics: Object.entries(topics).map(([topic, numPartitions]) => ({
      topic,
      numPartitions,
      replicationFactor: replication,
    })),
  })
  await topicsReady(admin, topics, replication)
}

export async function growTopic(admin: Admin, topic: string, partitions: number, replication = 1): Promise<void> {
  await admin.createPartitions({ topicPartitions: [{ topic, count: partitions }] })
  await topicsReady(admin, { [topic]: partitions }, replication)
}

/** Waits until every partition has a leader and is in sync everywhere; again after a node has come back. */
export async function topicsReady(admin: Admin, topics: Record<string, number>, replication = 1): Promise<void> {
  let seen = ''
  await until(
    `that ${Object.keys(topics).join(', ')} have leaders and replicas`,
    async () => {
      const metadata = await admin.fetchTopicMetadata({ topics: Object.keys(topics) })
      seen = JSON.stringify(metadata)
      return metadata.topics.every(
        ({ name, partitions }) =>
          partitions.length === topics[name] && partitions.every(p => p.leader > 0 && p.isr.length === replication),
      )
    },
    { explain: () => seen },
  )
}
