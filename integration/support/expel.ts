import { Kafka, logLevel, PartitionAssigners } from 'kafkajs'
import type { RunningKafka } from './kafka'

interface Cluster {
  connect(): Promise<void>
  disconnect(): Promise<void>
  refreshMetadata(): Promise<void>
  findGroupCoordinator(options: { groupId: string }): Promise<{
    leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>
  }>
}

/** Sends LeaveGroup in the name of a member, behind its back. */
export async function expel(kafka: RunningKafka, groupId: string, memberId: string): Promise<void> {
  const client = new Kafka({ clientId: 'expel', brokers: kafka.brokers, logLevel: logLevel.NOTHING })
  let cluster: Cluster | undefined
  client.consumer({
    groupId,
    partitionAssigners: [
      config => {
        cluster = config.cluster as unknown as Cluster
        return PartitionAssigners.roundRobin(config)
      },
    ],
  })
  await cluster!.connect()
  await cluster!.refreshMetadata()
  await (await cluster!.findGroupCoordinator({ groupId })).leaveGroup({ groupId, memberId })
  await cluster!.disconnect()
}
