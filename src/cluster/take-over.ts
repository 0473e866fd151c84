import type { Admin } from 'kafkajs'
import { failureOf, mayPass } from './failure'

/** Where coordinators keep their groups: one partition's leader coordinates all groups of that partition. */
const groupsTopic = '__consumer_offsets'

/**
 * Whether the group's coordinator may have taken over from another broker a moment ago. It then calls a group `Dead`
 * until the brokers that are left have told it what was committed. False where it cannot be known.
 */
export async function isTakingOver(admin: Admin, groupId: string): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [groupsTopic] })
    const partitions = topics[0]?.partitions ?? []
    const place = partitionOf(groupId, partitions.length)
    const own = partitions.find(({ partitionId }) => partitionId === place)
    return own !== undefined && (own.leader < 0 || own.isr.length < own.replicas.length)
  } catch (error) {
    if (mayPass(error)) return true
    // Not there yet, or not ours to see.
    if (failureOf(error).type !== null) return false
    throw error
  }
}

/** As brokers place groups: by Java's String.hashCode, without its sign. */
export function partitionOf(groupId: string, partitions: number): number {
  let hash = 0
  for (let i = 0; i < groupId.length; i++) hash = (hash * 31 + groupId.charCodeAt(i)) | 0
  // Kafka's Utils.abs; of the least number Java's Math.abs is negative.
  return (hash === -(2 ** 31) ? 0 : Math.abs(hash)) % partitions
}
