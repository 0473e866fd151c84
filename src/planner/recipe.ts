import type { Ownership } from './claims'
import { type Group, partitionCount } from './group'
import { listOf, sizeOf } from './lists'
import type { PartitionSet } from './partition-set'
import type { Steps, Work } from './steps'
import { Turns } from './turns'

/**
 * The recipe for uniform groups: everybody keeps as much as its target allows, the rest is dealt out.
 *
 * Targets differ by at most one; the larger ones go to those that own the most, ties to the smaller id. A member above
 * its target gives up its highest partition ids (among equal ids the highest topic name). Unassigned partitions are taken
 * in ascending order, topic by topic, each by the member below its target that has the fewest, ties to the smaller id.
 * The result is best in balance and in moves; its spread over topics need not be.
 *
 * Returns counts by cell. Which partitions these are follows from the counts: deal.ts keeps the lowest ids of each topic
 * and deals by the same rule.
 */
export function* recipeCounts(
  group: Group,
  start: Int32Array,
  own: Int32Array,
  { believed, owned: ownedPartitions }: Ownership,
  steps: Steps,
): Work<Int32Array> {
  const members = group.subscribers
  const topics = group.topics.length
  const owned = members.map(m => sizeOf(believed, m))
  const targets = targetsOf(owned, partitionCount(group))
  const counts = own.slice()
  const free = unownedByTopic(group, ownedPartitions)
  const shears = new Shears(group, counts, free)
  for (let i = 0; i < members.length; i++) {
    if (owned[i]! <= targets[i]!) continue
    shears.cut(listOf(believed, members[i]!), targets[i]!, start[members[i]!]!)
    if (steps.spent(2 * owned[i]!)) yield
  }

  const takers = takersOf(owned, targets)
  if (steps.spent(takers.length)) yield
  for (let t = 0, k = 0; t < topics; t++) {
    for (const end = k + free[t]!; k < end; k++) counts[start[members[takers[k]!]!]! + t]!++
    if (steps.spent(free[t]!)) yield
  }
  return counts
}

/** How many partitions each gets, given how many each owns (in order of id). */
function targetsOf(owned: Int32Array, partitions: number): Int32Array {
  const members = owned.length
  const targets = new Int32Array(members)
  if (members === 0) return targets
  targets.fill(Math.floor(partitions / members))
  const larger = partitions % members
  if (larger === 0) return targets
  // Sorts by descending count, ties by index.
  const keys = new Float64Array(members)
  for (let i = 0; i < members; i++) keys[i] = (partitions - owned[i]!) * members + i
  keys.sort()
  for (let k = 0; k < larger; k++) targets[keys[k]! % members]!++
  return targets
}

function unownedByTopic(group: Group, owned: PartitionSet): Int32Array {
  const unowned = new Int32Array(group.topics.length)
  for (let t = 0; t < unowned.length; t++) {
    unowned[t] = owned.countMissing(group.topicStart[t]!, group.topicStart[t + 1]!)
  }
  return unowned
}

/** Who takes the first, second, ... unassigned partition, as indexes of the members. */
function takersOf(owned: Int32Array, targets: Int32Array): Int32Array {
  const index = new Int32Array(owned.length)
  const has = new Int32Array(owned.length)
  const lacks = new Int32Array(owned.length)
  let count = 0
  let total = 0
  for (let i = 0; i < owned.length; i++) {
    if (owned[i]! >= targets[i]!) continue
    index[count] = i
    has[count] = owned[i]!
    lacks[count++] = targets[i]! - owned[i]!
    total += targets[i]! - owned[i]!
  }
  const takers = new Int32Array(total)
  if (count > 0) new Turns(count).order(count, has, lacks, takers)
  for (let k = 0; k < total; k++) takers[k] = index[takers[k]!]!
  return takers
}

const empty = new Int32Array(0)

/** Cuts what a member owns down to its target. */
class Shears {
  private readonly largestTopic: number
  private ids = empty
  private topic = empty
  private rest = empty

  /**
   * @param counts by cell: what is cut is taken off here
   * @param free by topic: and added here
   */
  constructor(
    private readonly group: Group,
    private readonly counts: Int32Array,
    private readonly free: Int32Array,
  ) {
    let largest = 0
    for (let t = 0; t < group.topics.length; t++) {
      largest = Math.max(largest, group.topicStart[t + 1]! - group.topicStart[t]!)
    }
    this.largestTopic = largest
  }

  /** `first`: the member's first cell. */
  cut(own: Int32Array, target: number, first: number): void {
    if (target === own.length - 1) {
      this.giveUp(first, this.topicOfHighest(own))
      return
    }
    this.read(own)
    const limit = this.limit(own.length, target)
    let equal = target - this.countBelow(limit, own.length)
    for (let k = 0; k < own.length; k++) {
      const id = this.ids[k]!
      if (id < limit || (id === limit && equal-- > 0)) continue
      this.giveUp(first, this.topic[k]!)
    }
  }

  private giveUp(first: number, t: number): void {
    this.counts[first + t]!--
    this.free[t]!++
  }

  /** Partition numbers as topics and ids within the topic. */
  private read(own: Int32Array): void {
    if (this.ids.length < own.length) {
      this.ids = new Int32Array(2 * own.length)
      this.topic = new Int32Array(2 * own.length)
      this.rest = new Int32Array(2 * own.length)
    }
    const { ids, topic } = this
    const { topicStart } = this.group
    let t = 0
    for (let k = 0; k < own.length; k++) {
      const partition = own[k]!
      while (partition >= topicStart[t + 1]!) t++
      ids[k] = partition - topicStart[t]!
      topic[k] = t
    }
  }

  /** Of the partitions with the highest id the last topic. */
  private topicOfHighest(own: Int32Array): number {
    const { topicStart } = this.group
    let best = -1
    let bestTopic = 0
    let t = 0
    let base = 0
    let end = 0
    for (let k = 0; k < own.length; k++) {
      const partition = own[k]!
      while (partition >= end) {
        base = end
        end = topicStart[++t]!
      }
      if (partition - base >= best) {
        best = partition - base
        bestTopic = t - 1
      }
    }
    return bestTopic
  }

  /** The greatest id below which no more than `target` are owned, by halving what is in question. */
  private limit(size: number, target: number): number {
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
    return good
  }

  private countBelow(limit: number, size: number): number {
    const { ids } = this
    let count = 0
    for (let k = 0; k < size; k++) if (ids[k]! < limit) count++
    return count
  }
}
