import { startAlone } from './alone'
import { balanceFreely } from './balance'
import { countByCell, indexCells } from './cells'
import { type Group, isUniform, partitionCount } from './group'
import { findLevels } from './levels'
import type { PartitionLists } from './lists'
import { plainNetwork } from './plain-network'
import { priceFromRows } from './prices'
import { eligibleMembers, recipeCounts } from './recipe'
import { repair } from './repair'
import type { Steps, Work } from './steps'

/** How many partitions of each topic everybody gets, and what proves that nothing can be better. */
export interface Solution {
  /** By cell. */
  readonly counts: Int32Array
  /** By topic, then by member: see levels.ts. */
  readonly level: Int32Array
  /** By topic: what a partition of it costs whoever takes one. */
  readonly price: Float64Array
}

/** The best balance, then the fewest moves, then the best spread, then the recipe. */
export function* solve(group: Group, start: Int32Array, believed: PartitionLists, steps: Steps): Work<Solution> {
  const own = countByCell(group, start, believed)
  if (!isUniform(group)) return yield* solveMixed(group, start, own, steps)
  const counts = yield* recipeCounts(group, start, own, believed, steps)
  const level = uniformLevels(group)
  const price = evenPrices(group, counts)
  if (price) return { counts, level, price }
  const exact = yield* solveByLevel(group, start, own, level, steps)
  return sumOfSquares(counts) === sumOfSquares(exact.counts) ? { ...exact, counts } : exact
}

function* solveMixed(group: Group, start: Int32Array, own: Int32Array, steps: Steps): Work<Solution> {
  const cells = indexCells(group, start)
  const { counts, load } = yield* balanceFreely(group, cells, steps)
  const level = yield* findLevels(group.topics.length, cells, counts, load, steps)
  return yield* solveByLevel(group, start, own, level, steps, cells)
}

function* solveByLevel(
  group: Group,
  start: Int32Array,
  own: Int32Array,
  level: Int32Array,
  steps: Steps,
  cells = indexCells(group, start),
): Work<Solution> {
  const begin = yield* startAlone(group, start, own, level, steps)
  if (begin.need.every(n => n === 0)) {
    return { counts: begin.counts, level, price: Float64Array.from(begin.waterline, y => -2 * y) }
  }
  const network = plainNetwork(partitionCount(group), cells, own, level, begin)
  priceFromRows(network)
  yield* repair(network, steps)
  return { counts: network.flow, level, price: network.potential.slice(0, group.topics.length) }
}

/** In a uniform group nobody has two more than another: all is one level. */
function uniformLevels(group: Group): Int32Array {
  const members = eligibleMembers(group)
  const topics = group.topics.length
  const level = new Int32Array(topics + group.memberIds.length)
  const highest = members.length === 0 ? 0 : Math.ceil(partitionCount(group) / members.length)
  level.fill(highest, 0, topics)
  for (const m of members) level[topics + m] = highest
  return level
}

/**
 * If every topic is spread as evenly over the members as can be, nothing can be better, and these prices prove it.
 * Otherwise undefined.
 */
function evenPrices(group: Group, counts: Int32Array): Float64Array | undefined {
  const topics = group.topics.length
  const members = eligibleMembers(group).length
  const share = group.topics.map((_, t) => Math.floor((group.topicStart[t + 1]! - group.topicStart[t]!) / members))
  for (let e = 0; e < counts.length; ) {
    for (let t = 0; t < topics; t++, e++) {
      const over = counts[e]! - share[t]!
      if (over !== 0 && over !== 1) return undefined
    }
  }
  return Float64Array.from(share, q => -(2 * q + 1))
}

function sumOfSquares(counts: Int32Array): number {
  let sum = 0
  for (let e = 0; e < counts.length; e++) sum += counts[e]! * counts[e]!
  return sum
}
