import { type Group, partitionCount } from './group'
import { listOf, type PartitionLists, sizeOf } from './lists'
import type { Steps, Work } from './steps'

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
  for (let i = 0; i < members.length; i++) {
    if (owned[i]! <= targets[i]!) continue
    shears.cut(listOf(believed, members[i]!), targets[i]!, counts, start[members[i]!]!)
    if (steps.spent(4 * owned[i]!)) yield
  }

  const free = group.topics.map((_, t) => group.topicStart[t + 1]! - group.topicStart[t]!)
  for (const m of members) {
    for (let t = 0; t < topics; t++) free[t]! -= counts[start[m]! + t]!
    if (steps.spent(topics)) yield
  }
  const has = owned.map((count, i) => Math.min(count, targets[i]!))
  const takers = dealToFewest(
    has,
    targets,
    free.reduce((a, b) => a + b, 0),
  )
  if (steps.spent(takers.length)) yield
  for (let t = 0, k = 0; t < topics; t++) {
    for (const end = k + free[t]!; k < end; k++) counts[start[members[takers[k]!]!]! + t]!++
  }
  return counts
}

/** Members that subscribe a planned topic, ascending. */
export function eligibleMembers(group: Group): number[] {
  const members: number[] = []
  group.subscriptionOf.forEach((s, m) => {
    if (group.subscriptions[s]!.length > 0) members.push(m)
  })
  return members
}

/** How many partitions each gets, given how many each owns (in order of id). */
export function targetsOf(owned: readonly number[], partitions: number): number[] {
  if (owned.length === 0) return []
  const base = Math.floor(partitions / owned.length)
  const targets = owned.map(() => base)
  const byOwned = owned.map((_, i) => i).sort((a, b) => owned[b]! - owned[a]! || a - b)
  for (const i of byOwned.slice(0, partitions % owned.length)) targets[i]!++
  return targets
}

/** Cuts what a member owns down to its target. */
class Shears {
  private readonly largestTopic: number
  private ids = new Int32Array(0)
  private topic = new Int32Array(0)

  constructor(private readonly group: Group) {
    this.largestTopic = group.topics.reduce(
      (max, _, t) => Math.max(max, group.topicStart[t + 1]! - group.topicStart[t]!),
      0,
    )
  }

  /** Takes what does not stay out of the counts of the member's cells, which start at `first`. */
  cut(own: Int32Array, target: number, counts: Int32Array, first: number): void {
    this.read(own)
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
      this.ids = new Int32Array(own.length)
      this.topic = new Int32Array(own.length)
    }
    const { topicStart } = this.group
    for (let k = 0, t = 0; k < own.length; k++) {
      while (own[k]! >= topicStart[t + 1]!) t++
      this.ids[k] = own[k]! - topicStart[t]!
      this.topic[k] = t
    }
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
    let count = 0
    for (let k = 0; k < size; k++) if (this.ids[k]! < limit) count++
    return count
  }
}

/**
 * Who takes the first, second, ... partition: always the one that has the fewest and is below its target, ties to the
 * smaller index. Goes level by level: those that have `level` take one each, in order, and meet those of the next level.
 */
export function dealToFewest(has: readonly number[], targets: readonly number[], count: number): Int32Array {
  const takers = new Int32Array(count)
  const waiting = has.map((_, i) => i).filter(i => has[i]! < targets[i]!)
  waiting.sort((a, b) => has[a]! - has[b]! || a - b)
  let arriving = 0
  let active: number[] = []
  let level = 0
  for (let next = 0; next < count; level++) {
    if (active.length === 0) level = has[waiting[arriving]!]!
    const joined: number[] = []
    while (arriving < waiting.length && has[waiting[arriving]!] === level) joined.push(waiting[arriving++]!)
    active = mergeAscending(active, joined)
    for (let i = 0; i < active.length && next < count; i++) takers[next++] = active[i]!
    active = active.filter(i => targets[i]! > level + 1)
  }
  return takers
}

function mergeAscending(a: number[], b: readonly number[]): number[] {
  if (b.length === 0) return a
  if (a.length === 0) return [...b]
  const merged: number[] = []
  let j = 0
  for (const value of a) {
    while (j < b.length && b[j]! < value) merged.push(b[j++]!)
    merged.push(value)
  }
  while (j < b.length) merged.push(b[j++]!)
  return merged
}
