import { type KafkaGroup, NO_RACK } from './group'

/**
 * Whether racks decide anything (KIP-881): some member is in a rack that holds a replica, and not every partition has
 * replicas in the same racks.
 */
export function racksMatter(memberRacks: Iterable<number>, partitionRacks: readonly (readonly number[])[]): boolean {
  const all = new Set<number>()
  for (const racks of partitionRacks) for (const rack of racks) all.add(rack)
  if (partitionRacks.every(racks => racks.length === all.size)) return false
  for (const rack of memberRacks) if (rack !== NO_RACK && all.has(rack)) return true
  return false
}

/** Whether the member would fetch across racks: it is in a rack, and no replica of the partition is. */
export function mismatches(group: KafkaGroup, member: number, partition: number): boolean {
  const { rack } = group.members[member]!
  return rack !== NO_RACK && group.racks !== null && !group.racks[partition]!.includes(rack)
}
