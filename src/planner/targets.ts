import type { Group } from './group'
import { type PartitionLists, sizeOf } from './lists'

/**
 * How many partitions each member of a uniform group gets, 0 for those without topics. Targets differ by at most one; the
 * larger ones go to those that own the most, ties to the smaller id.
 */
export function targetsOf(group: Group, believed: PartitionLists, partitions: number): Int32Array {
  const { subscribers } = group
  const count = subscribers.length
  const targets = new Int32Array(group.memberIds.length)
  if (count === 0) return targets
  const low = Math.floor(partitions / count)
  for (let i = 0; i < count; i++) targets[subscribers[i]!] = low
  const larger = partitions - low * count
  if (larger === 0) return targets
  // Sorts by descending number of owned partitions, ties by index.
  const keys = new Float64Array(count)
  for (let i = 0; i < count; i++) keys[i] = (partitions - sizeOf(believed, subscribers[i]!)) * count + i
  keys.sort()
  for (let k = 0; k < larger; k++) targets[subscribers[keys[k]! % count]!]!++
  return targets
}
