import { type Group, partitionCount } from './group'
import { listOf, type PartitionLists, sizeOf } from './lists'
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
  believed: PartitionLists,
  steps: Steps,
): Work<Int32Array> {
  const members = eligibleMembers(group)
  const topics = group.topics.length
  const owned = members.map(m => sizeOf(believed, m))
  const targets = targetsOf(owned, partitionCount(group))
  const counts = own.slice()
  const shears = new Shears(group)
  const free = new Int32Array(topics)
  for (let t = 0; t < topics; t++) free[t] = group.topicStart[t + 1]! - group.topicStart[t]!
  for (let i = 0; i < members.length; i++) {
    const m = members[i]!
    if (owned[i]! > targets[i]!) shears.cut(listOf(believed, m), targets[i]!, counts, start[m]!)
    if (owned[i]! > 0) subtract(free, counts, start[m]!)
    if (steps.spent(owned[i]! + topics)) yield
  }

  const takers = takersOf(owned, targets)
  if (steps.spent(takers.length)) yield
  for (let t = 0, k = 0; t < topics; t++) {
    for (const end = k + free[t]!; k < end; k++) counts[start[members[takers[k]!]!]! + t]!++
    if (steps.spent(free[t]!)) yield
  }
  return counts
}

/** Members that subscribe a planned topic, ascending. */
export function eligibleMembers(group: Group): Int32Array {
  const members = new Int32Array(group.memberIds.length)
  let count = 0
  for (let m = 0; m < members.length; m++) {
    if (group.subscriptions[group.subscriptionOf[m]!]!.length > 0) members[count++] = m
  }
  return members.subarray(0, count)
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

function subtract(from: Int32Array, counts: Int32Array, first: number): void {
  for (let t = 0; t < from.length; t++) from[t]! -= counts[first + t]!
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

/** Cuts what a member owns down to its target. */
class Shears {
  private readonly largestTopic: number
  private ids = new Int32Array(0)
  private topic = new Int32Array(0)

  constructor(private readonly group: Group) {
    let largest = 0
    for (let t = 0; t < group.topics.length; t++) {
      largest = Math.max(largest, group.topicStart[t + 1]! - group.topicStart[t]!)
    }
    this.largestTopic = largest
  }

  /** Takes what does not stay out of the counts of the member's cells, which start at `first`. */
  cut(own: Int32Array, target: number, counts: Int32Array, first: number): void {
    this.read(own)
    if (target === own.length - 1) {
      counts[first + this.topic[this.highest(own.length)]!]!--
      return
    }
    const limit = this.limit(own.length, target)
    let equal = target - this.countBelow(limit, own.length)
    for (let k = 0; k < own.length; k++) {
      const id = this.ids[k]!
      if (id < limit || (id === limit && equal-- > 0)) continue
      counts[first + this.topic[k]!]!--
    }
  }

  /** Partition numbers as topics and ids within the topic. */
  private read(own: Int32Array): void {
    if (this.ids.length < own.length) {
      this.ids = new Int32Array(2 * own.length)
      this.topic = new Int32Array(2 * own.length)
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

  private highest(size: number): number {
    let best = 0
    for (let k = 1; k < size; k++) if (this.ids[k]! >= this.ids[best]!) best = k
    return best
  }

  /** The greatest id below which no more than `target` are owned. */
  private limit(size: number, target: number): number {
    let good = 0
    let bad = this.largestTopic
    while (bad - good > 1) {
      const middle = (good + bad) >> 1
      if (this.countBelow(middle, size) <= target) good = middle
      else bad = middle
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
