import type { Admin } from 'kafkajs'
import { partitionOf } from '../../src/cluster/take-over'
import type { KafkaNode, RunningKafka } from './kafka'
import { until } from './wait'

const offsetsTopic = '__consumer_offsets'

/** The node that coordinates a group now: the leader of the group's partition of the offsets topic. */
export async function coordinatorOf(kafka: RunningKafka, admin: Admin, groupId: string): Promise<KafkaNode> {
  return until(`that ${groupId} has a coordinator`, async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [offsetsTopic] })
    const { partitions } = topics[0]!
    const partition = partitionOf(groupId, partitions.length)
    const leader = partitions.find(({ partitionId }) => partitionId === partition)?.leader
    return kafka.nodes.find(({ id }) => id === leader)
  })
}
