import { startAlone } from './alone'
import { balanceFreely } from './balance'
import { type Cells, cellStarts, countByCell, indexCells } from './cells'
import { deal } from './deal'
import { type Group, isUniform, partitionCount } from './group'
import { findLevels } from './levels'
import type { PartitionLists } from './lists'
import { plainNetwork } from './plain-network'
import { priceFromRows } from './prices'
import { countsByRow, rackNetwork } from './rack-network'
import { startAloneWithRacks } from './rack-start'
import { countMismatches, inverse, type Racks, renumber, splitByRacks } from './racks'
import { eligibleMembers, recipeCounts } from './recipe'
import { repair } from './repair'
import type { Steps, Work } from './steps'

/** A plan, and the prices that prove that none is better (certificate.ts). */
export interface Proven {
  readonly lists: PartitionLists
  /** By topic, then by member: see levels.ts. */
  readonly level: Int32Array
  /** By topic, or by row where racks matter: what a partition of it costs whoever takes one. */
  readonly price: Float64Array
}

/** The best balance, then the fewest rack mismatches, then the fewest moves, then the best spread, then the recipe. */
export function* planSticky(
  group: Group,
  believed: PartitionLists,
  racks: Racks | undefined,
  steps: Steps,
): Work<Proven> {
  const start = cellStarts(group)
  const own = countByCell(group, start, believed)
  if (!isUniform(group)) {
    const cells = indexCells(group, start)
    const { counts, load } = yield* balanceFreely(group, cells, steps)
    const level = yield* findLevels(group.topics.length, cells, counts, load, steps)
    if (racks) return yield* planWithRacks(group, cells, believed, racks, level, steps)
    return yield* dealt(group, start, believed, yield* solve(group, cells, own, level, steps), level, steps)
  }

  const level = uniformLevels(group)
  const counts = yield* recipeCounts(group, start, own, believed, steps)
  if (racks) {
    const exact = yield* planWithRacks(group, indexCells(group, start), believed, racks, level, steps)
    const lists = yield* deal(group, start, counts, believed, steps)
    return isAsGood(group, start, lists, exact.lists, racks) ? { ...exact, lists } : exact
  }
  const price = evenPrices(group, counts)
  if (price) return yield* dealt(group, start, believed, { counts, price }, level, steps)
  const exact = yield* solve(group, indexCells(group, start), own, level, steps)
  const best = sumOfSquares(counts) === sumOfSquares(exact.counts) ? { ...exact, counts } : exact
  return yield* dealt(group, start, believed, best, level, steps)
}

/** Counts by cell, and the prices by topic that prove them. */
interface Solution {
  readonly counts: Int32Array
  readonly price: Float64Array
}

function* solve(group: Group, cells: Cells, own: Int32Array, level: Int32Array, steps: Steps): Work<Solution> {
  const begin = yield* startAlone(group, cells.start, own, level, steps)
  if (begin.need.every(n => n === 0)) {
    return { counts: begin.counts, price: Float64Array.from(begin.waterline, y => -2 * y) }
  }
  const network = plainNetwork(partitionCount(group), cells, own, level, begin)
  priceFromRows(network)
  yield* repair(network, steps)
  return { counts: network.flow, price: network.potential.slice(0, group.topics.length) }
}

function* dealt(
  group: Group,
  start: Int32Array,
  believed: PartitionLists,
  { counts, price }: Solution,
  level: Int32Array,
  steps: Steps,
): Work<Proven> {
  return { lists: yield* deal(group, start, counts, believed, steps), level, price }
}

function* planWithRacks(
  group: Group,
  cells: Cells,
  believed: PartitionLists,
  racks: Racks,
  level: Int32Array,
  steps: Steps,
): Work<Proven> {
  const split = splitByRacks(group, racks)
  const start = cellStarts(split.group)
  const splitBelieved = renumber(believed, inverse(split.original))
  const own = countByCell(split.group, start, splitBelieved)
  const network = rackNetwork(group, cells, racks, own, level)
  yield* startAloneWithRacks(group, cells, racks, level, network, steps)
  priceFromRows(network)
  yield* repair(network, steps)
  const lists = yield* deal(split.group, start, countsByRow(network, cells, racks), splitBelieved, steps)
  return { lists: renumber(lists, split.original), level, price: network.potential.slice(0, network.rows) }
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

/** The recipe never moves more than the exact plan: it is as good if it is in racks and in spread. */
function isAsGood(
  group: Group,
  start: Int32Array,
  recipe: PartitionLists,
  exact: PartitionLists,
  racks: Racks,
): boolean {
  if (countMismatches(racks, recipe) > countMismatches(racks, exact)) return false
  return sumOfSquares(countByCell(group, start, recipe)) === sumOfSquares(countByCell(group, start, exact))
}

function sumOfSquares(counts: Int32Array): number {
  let sum = 0
  for (let e = 0; e < counts.length; e++) sum += counts[e]! * counts[e]!
  return sum
}
