import type { Admin } from 'kafkajs'
import type { KafkaNode, RunningKafka } from './kafka'
import { until } from './wait'

const offsetsTopic = '__consumer_offsets'

/** The node that coordinates a group now: the leader of the group's partition of the offsets topic. */
export async function coordinatorOf(kafka: RunningKafka, admin: Admin, groupId: string): Promise<KafkaNode> {
  return until(`that ${groupId} has a coordinator`, async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [offsetsTopic] })
    const { partitions } = topics[0]!
    const partition = javaHash(groupId) % partitions.length
    const leader = partitions.find(({ partitionId }) => partitionId === partition)?.leader
    return kafka.nodes.find(({ id }) => id === leader)
  })
}

/** As the broker does it: Java's String.hashCode without its sign. */
function javaHash(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (31 * hash + text.charCodeAt(i)) | 0
  return hash & 0x7fffffff
}
