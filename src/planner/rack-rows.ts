import type { Group } from './group'
import { type PartitionLists, sizeOf } from './lists'
import type { Racks } from './racks'
import type { Steps, Work } from './steps'

/**
 * The group with rows in the place of topics, and its partitions renumbered so that those of a row follow each other;
 * `original` gives back their numbers in the group.
 */
export function* splitByRacks(
  group: Group,
  { rowOf, rowStart }: Racks,
  steps: Steps,
): Work<{ group: Group; original: Int32Array }> {
  const rows = rowStart[group.topics.length]!
  const topicStart = new Int32Array(rows + 1)
  for (let p = 0; p < rowOf.length; p++) topicStart[rowOf[p]! + 1]!++
  for (let r = 0; r < rows; r++) topicStart[r + 1]! += topicStart[r]!
  const next = topicStart.slice(0, rows)
  const original = new Int32Array(rowOf.length)
  for (let p = 0; p < rowOf.length; p++) original[next[rowOf[p]!]!++] = p
  if (steps.spent(4 * rowOf.length)) yield

  const topics = group.topics.flatMap((name, t) => new Array<string>(rowStart[t + 1]! - rowStart[t]!).fill(name))
  const subscriptions: Int32Array[] = []
  for (const set of group.subscriptions) {
    const rowsOfSet: number[] = []
    for (const t of set) for (let r = rowStart[t]!; r < rowStart[t + 1]!; r++) rowsOfSet.push(r)
    subscriptions.push(Int32Array.from(rowsOfSet))
    if (steps.spent(4 * rowsOfSet.length)) yield
  }
  return { group: { ...group, topics, topicStart, subscriptions }, original }
}

/** The lists in the other numbering: `number` gives the new number of each partition. */
export function* renumber(lists: PartitionLists, number: Int32Array, steps: Steps): Work<PartitionLists> {
  const ids = new Int32Array(lists.ids.length)
  for (let m = 0; m + 1 < lists.start.length; m++) {
    const first = lists.start[m]!
    const end = lists.start[m + 1]!
    for (let k = first; k < end; k++) ids[k] = number[lists.ids[k]!]!
    if (end - first > 1) ids.subarray(first, end).sort()
    if (steps.spent(16 * sizeOf(lists, m))) yield
  }
  return { start: lists.start, ids }
}

export function inverse(numbers: Int32Array): Int32Array {
  const result = new Int32Array(numbers.length)
  for (let i = 0; i < numbers.length; i++) result[numbers[i]!] = i
  return result
}
