import type { Group } from './group'
import type { PartitionLists } from './lists'

/** The spread: the sum over topics and members of squared counts. */
export function sumOfSquares(group: Group, lists: PartitionLists): number {
  const { topicStart } = group
  let sum = 0
  for (let m = 0; m < group.memberIds.length; m++) {
    for (let i = lists.start[m]!, t = 0, count = 0; i < lists.start[m + 1]!; i++) {
      while (topicStart[t + 1]! <= lists.ids[i]!) {
        t++
        count = 0
      }
      // The squares of 1, 2, 3, ... grow by 1, 3, 5, ...
      sum += 2 * count++ + 1
    }
  }
  return sum
}

/** The same from counts by cell. */
export function sumOfSquaredCounts(counts: Int32Array): number {
  let sum = 0
  for (let e = 0; e < counts.length; e++) sum += counts[e]! * counts[e]!
  return sum
}
