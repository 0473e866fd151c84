import type { Group } from './group'
import { type PartitionLists, sizeOf } from './lists'
import type { PartitionSet } from './partition-set'

const empty = new Int32Array(0)

/** Takes from members what they own above their targets: the highest ids, among equal ids the highest topic names. */
export class Shears {
  private readonly largestTopic: number
  /** What is owned by the member at hand: ids within their topics, and those whose place is still in question. */
  private ids = empty
  private rest = empty

  /** @param kept what somebody owns; what is cut is taken out */
  constructor(
    private readonly group: Group,
    private readonly believed: PartitionLists,
    private readonly kept: PartitionSet,
  ) {
    let largest = 0
    for (let t = 0; t < group.topics.length; t++) {
      largest = Math.max(largest, group.topicStart[t + 1]! - group.topicStart[t]!)
    }
    this.largestTopic = largest
  }

  /** Leaves the member `target` of the partitions that it owns. */
  cut(member: number, target: number): void {
    const { believed, kept } = this
    const size = sizeOf(believed, member)
    if (target === size - 1) {
      kept.delete(this.highest(member))
      return
    }
    const first = believed.start[member]!
    this.readIds(member)
    const { limit, equal: spare } = this.limit(size, target)
    let equal = spare
    for (let k = 0; k < size; k++) {
      const id = this.ids[k]!
      if (id < limit || (id === limit && equal-- > 0)) continue
      kept.delete(believed.ids[first + k]!)
    }
  }

  /** Of the member's partitions with the highest id that of the last topic. */
  private highest(member: number): number {
    const { topicStart } = this.group
    const { start, ids } = this.believed
    let best = -1
    let bestPartition = -1
    let t = 0
    let base = 0
    let end = 0
    for (let k = start[member]!; k < start[member + 1]!; k++) {
      const partition = ids[k]!
      while (partition >= end) {
        base = end
        end = topicStart[++t]!
      }
      if (partition - base >= best) {
        best = partition - base
        bestPartition = partition
      }
    }
    return bestPartition
  }

  private readIds(member: number): void {
    const first = this.believed.start[member]!
    const size = sizeOf(this.believed, member)
    if (this.ids.length < size) {
      this.ids = new Int32Array(2 * size)
      this.rest = new Int32Array(2 * size)
    }
    const { ids } = this
    const { topicStart } = this.group
    let t = 0
    for (let k = 0; k < size; k++) {
      const partition = this.believed.ids[first + k]!
      while (partition >= topicStart[t + 1]!) t++
      ids[k] = partition - topicStart[t]!
    }
  }

  /**
   * The greatest id below which no more than `target` are owned, by halving what is in question, and how many of this id
   * may be kept.
   */
  private limit(size: number, target: number): { limit: number; equal: number } {
    const { ids, rest } = this
    let good = 0
    let bad = this.largestTopic
    let left = target
    let count = size
    for (let k = 0; k < size; k++) rest[k] = ids[k]!
    while (bad - good > 1) {
      const middle = (good + bad) >> 1
      let below = 0
      for (let k = 0; k < count; k++) if (rest[k]! < middle) below++
      const keepBelow = below > left
      let kept = 0
      for (let k = 0; k < count; k++) if (rest[k]! < middle === keepBelow) rest[kept++] = rest[k]!
      count = kept
      if (keepBelow) bad = middle
      else {
        good = middle
        left -= below
      }
    }
    return { limit: good, equal: left }
  }
}
