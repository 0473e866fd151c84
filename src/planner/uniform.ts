import { cellStarts, countByCell } from './cells'
import type { Ownership } from './claims'
import { deal } from './deal'
import { solveExactly } from './exact'
import { type Group, partitionCount } from './group'
import { joinLists, type PartitionLists, sizeOf } from './lists'
import type { Proven } from './proven'
import { followRecipe } from './recipe'
import { sumOfSquaredCounts, sumOfSquares } from './spread'
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
export function* planUniform(group: Group, ownership: Ownership, steps: Steps): Work<Proven> {
  const { believed, owned } = ownership
  if (believed.ids.length === 0) return planAllNew(group)
  const partitions = partitionCount(group)
  const level = uniformLevels(group)
  const shares = evenShares(group)
  const evenSpread = spreadOfShares(group, shares)
  const { kept, gained } = yield* followRecipe(group, ownership, steps)
  // Its lists are only made if they can be the answer.
  let lists: PartitionLists | undefined
  if (yield* areWithin(group, gained, 0, shares, steps)) {
    lists = yield* joinLists(believed, kept, gained, partitions, steps)
    if (yield* areWithin(group, lists, 1, shares, steps)) {
      return { lists, gained, level, price: pricesOfShares(shares), spread: evenSpread }
    }
  }
  const start = cellStarts(group)
  const own = yield* countByCell(group, start, believed, steps)
  const { counts, price } = yield* solveExactly(group, start, undefined, own, level, steps)
  const spread = sumOfSquaredCounts(counts)
  if (spread !== evenSpread) {
    lists ??= yield* joinLists(believed, kept, gained, partitions, steps)
    if (sumOfSquares(group, lists) === spread) return { lists, gained, level, price, spread }
  }
  return { ...(yield* deal(group, start, counts, own, believed, owned.copy(), steps)), level, price, spread }
}

function planAllNew(group: Group): Proven {
  const lists = dealAround(group)
  const shares = evenShares(group)
  return {
    lists,
    gained: lists,
    level: uniformLevels(group),
    price: pricesOfShares(shares),
    spread: spreadOfShares(group, shares),
  }
}

/** Where nobody owns anything, the recipe is to go round: one partition to one member after the other. */
function dealAround(group: Group): PartitionLists {
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
function evenShares(group: Group): Int32Array {
  const shares = new Int32Array(group.topics.length)
  for (let t = 0; t < shares.length; t++) {
    shares[t] = Math.floor((group.topicStart[t + 1]! - group.topicStart[t]!) / group.subscribers.length)
  }
  return shares
}

/** The prices that prove a plan with even shares: nothing can be better. */
function pricesOfShares(shares: Int32Array): Float64Array {
  const price = new Float64Array(shares.length)
  for (let t = 0; t < price.length; t++) price[t] = -(2 * shares[t]! + 1)
  return price
}

/** Sum over topics and members of squared counts, of a plan with even shares. */
function spreadOfShares(group: Group, shares: Int32Array): number {
  let sum = 0
  for (let t = 0; t < shares.length; t++) {
    const share = shares[t]!
    const over = group.topicStart[t + 1]! - group.topicStart[t]! - share * group.subscribers.length
    sum += over * (share + 1) ** 2 + (group.subscribers.length - over) * share ** 2
  }
  return sum
}

/**
 * True if no subscriber has more than one above its share of a topic, and none has less than `least` times the share. A
 * plan in which everybody has its share of everything, or one more, is as well spread as can be.
 */
function* areWithin(
  group: Group,
  lists: PartitionLists,
  least: 0 | 1,
  shares: Int32Array,
  steps: Steps,
): Work<boolean> {
  const { subscribers, topicStart } = group
  for (let i = 0; i < subscribers.length; i++) {
    const m = subscribers[i]!
    const size = sizeOf(lists, m)
    if (size === 0 && least === 0) continue
    if (!isWithin(lists.ids, lists.start[m]!, lists.start[m + 1]!, topicStart, least, shares)) return false
    if (steps.spent(shares.length + size)) yield
  }
  return true
}

function isWithin(
  ids: Int32Array,
  from: number,
  to: number,
  topicStart: Int32Array,
  least: 0 | 1,
  shares: Int32Array,
): boolean {
  let k = from
  for (let t = 0; t < shares.length; t++) {
    const first = k
    const end = topicStart[t + 1]!
    while (k < to && ids[k]! < end) k++
    const count = k - first
    if (count > shares[t]! + 1 || count < least * shares[t]!) return false
  }
  return true
}
