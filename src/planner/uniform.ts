import type { Ownership } from './claims'
import { type Solution, solveExactly } from './exact'
import { type Group, partitionCount } from './group'
import type { PartitionLists } from './lists'
import { recipeCounts } from './recipe'
import type { Steps, Work } from './steps'

/** In a uniform group nobody has two more than another: all is one level. */
export function uniformLevels(group: Group): Int32Array {
  const { subscribers } = group
  const topics = group.topics.length
  const level = new Int32Array(topics + group.memberIds.length)
  const highest = subscribers.length === 0 ? 0 : Math.ceil(partitionCount(group) / subscribers.length)
  level.fill(highest, 0, topics)
  for (let i = 0; i < subscribers.length; i++) level[topics + subscribers[i]!] = highest
  return level
}

/** The recipe where nothing is better, else the exact solution. */
export function* solveUniform(
  group: Group,
  start: Int32Array,
  own: Int32Array,
  ownership: Ownership,
  level: Int32Array,
  steps: Steps,
): Work<Solution> {
  const counts = yield* recipeCounts(group, start, own, ownership, steps)
  const shares = evenShares(group)
  if (steps.spent(counts.length)) yield
  if (isEven(counts, shares)) return { counts, price: pricesOfShares(shares) }
  const exact = yield* solveExactly(group, start, undefined, own, level, steps)
  return sumOfSquaredCounts(counts) === sumOfSquaredCounts(exact.counts) ? { counts, price: exact.price } : exact
}

/** Where nobody owns anything, the recipe is to go round: one partition to one member after the other. */
export function dealAround(group: Group): PartitionLists {
  const partitions = partitionCount(group)
  const members = group.memberIds.length
  const { subscribers } = group
  const start = new Int32Array(members + 1)
  const ids = new Int32Array(partitions)
  let at = 0
  for (let i = 0, m = 0; m < members; m++) {
    if (subscribers[i] === m) for (let p = i++; p < partitions; p += subscribers.length) ids[at++] = p
    start[m + 1] = at
  }
  return { start, ids }
}

/** By topic: what every member has of it at least, if it is spread as evenly as can be. */
export function evenShares(group: Group): Int32Array {
  const shares = new Int32Array(group.topics.length)
  for (let t = 0; t < shares.length; t++) {
    shares[t] = Math.floor((group.topicStart[t + 1]! - group.topicStart[t]!) / group.subscribers.length)
  }
  return shares
}

/** The prices that prove a plan with even shares: nothing can be better. */
export function pricesOfShares(shares: Int32Array): Float64Array {
  const price = new Float64Array(shares.length)
  for (let t = 0; t < price.length; t++) price[t] = -(2 * shares[t]! + 1)
  return price
}

/** Sum over topics and members of squared counts, of a plan with even shares. */
export function spreadOfShares(group: Group, shares: Int32Array): number {
  let sum = 0
  for (let t = 0; t < shares.length; t++) {
    const share = shares[t]!
    const over = group.topicStart[t + 1]! - group.topicStart[t]! - share * group.subscribers.length
    sum += over * (share + 1) ** 2 + (group.subscribers.length - over) * share ** 2
  }
  return sum
}

function isEven(counts: Int32Array, shares: Int32Array): boolean {
  for (let e = 0; e < counts.length; ) {
    for (let t = 0; t < shares.length; t++, e++) {
      const over = counts[e]! - shares[t]!
      if (over !== 0 && over !== 1) return false
    }
  }
  return true
}

export function sumOfSquaredCounts(counts: Int32Array): number {
  let sum = 0
  for (let e = 0; e < counts.length; e++) sum += counts[e]! * counts[e]!
  return sum
}
