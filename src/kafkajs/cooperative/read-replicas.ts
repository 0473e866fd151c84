import type { Cluster } from '../internals'
import { type PartitionKey, partitionOf } from './partition-key'

/** Which brokers kafkajs may read a partition from: its leader, and the replica that the leader has named (KIP-392). */
export class ReadReplicas {
  private readonly preferred = new Map<PartitionKey, string>()

  constructor(private readonly cluster: Cluster) {}

  prefer(key: PartitionKey, node: number): void {
    this.preferred.set(key, String(node))
  }

  clear(): void {
    this.preferred.clear()
  }

  /** Whether any of the partitions may be read from this broker; without `node`, from any. */
  anyOn(node: string | null, keys: readonly PartitionKey[]): boolean {
    if (node === null) return keys.length > 0
    const wanted = new Set(keys)
    for (const key of keys) if (this.preferred.get(key) === node) return true
    for (const topic of new Set(keys.map(key => partitionOf(key).topic)))
      for (const { partitionId, leader } of this.metadata(topic))
        if (String(leader) === node && wanted.has(`${partitionId}:${topic}`)) return true
    return false
  }

  /** Whether kafkajs knows where the partition is. */
  knows(key: PartitionKey): boolean {
    const { topic, partition } = partitionOf(key)
    return this.metadata(topic).some(({ partitionId }) => partitionId === partition)
  }

  private metadata(topic: string) {
    try {
      return this.cluster.findTopicPartitionMetadata(topic)
    } catch {
      return []
    }
  }
}
