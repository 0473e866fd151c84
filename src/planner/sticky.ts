import { startAlone } from './alone'
import { balanceFreely } from './balance'
import { type Cells, cellStarts, countByCell, indexCells } from './cells'
import type { Ownership } from './claims'
import { type Deal, deal } from './deal'
import { type Group, isUniform, partitionCount } from './group'
import { findLevels } from './levels'
import { plainNetwork } from './plain-network'
import { priceFromRows } from './prices'
import { eligibleMembers, recipeCounts } from './recipe'
import { repair } from './repair'
import type { Steps, Work } from './steps'

/** A plan, and the prices that prove that none is better (certificate.ts). */
export interface Proven extends Deal {
  /** By topic, then by member: see levels.ts. */
  readonly level: Int32Array
  /** By topic, or by row where racks matter: what a partition of it costs whoever takes one. */
  readonly price: Float64Array
  /** Sum over topics and members of squared counts. */
  readonly spread: number
}

/** Counts by cell, and the prices by topic that prove them. */
interface Solution {
  readonly counts: Int32Array
  readonly price: Float64Array
}

/** Without racks: the best balance, then the fewest moves, then the best spread, then the recipe. */
export function* planSticky(group: Group, ownership: Ownership, steps: Steps): Work<Proven> {
  const { believed, owned } = ownership
  const start = cellStarts(group)
  const own = countByCell(group, start, believed)
  const cells = isUniform(group) ? undefined : indexCells(group, start)
  const level = cells ? yield* levelsOf(group, cells, steps) : uniformLevels(group)
  const { counts, price } = cells
    ? yield* solve(group, cells, own, level, steps)
    : yield* solveUniform(group, start, own, ownership, level, steps)
  const { lists, gained } = yield* deal(group, start, counts, own, believed, owned.copy(), steps)
  return { lists, gained, level, price, spread: sumOfSquares(counts) }
}

/** The recipe where nothing is better, else the exact solution. */
function* solveUniform(
  group: Group,
  start: Int32Array,
  own: Int32Array,
  { believed }: Ownership,
  level: Int32Array,
  steps: Steps,
): Work<Solution> {
  const counts = yield* recipeCounts(group, start, own, believed, steps)
  const price = evenPrices(group, counts)
  if (steps.spent(2 * counts.length)) yield
  if (price) return { counts, price }
  const exact = yield* solve(group, indexCells(group, start), own, level, steps)
  return sumOfSquares(counts) === sumOfSquares(exact.counts) ? { counts, price: exact.price } : exact
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

export function* levelsOf(group: Group, cells: Cells, steps: Steps): Work<Int32Array> {
  const { counts, load } = yield* balanceFreely(group, cells, steps)
  return yield* findLevels(group.topics.length, cells, counts, load, steps)
}

/** In a uniform group nobody has two more than another: all is one level. */
export function uniformLevels(group: Group): Int32Array {
  const members = eligibleMembers(group)
  const topics = group.topics.length
  const level = new Int32Array(topics + group.memberIds.length)
  const highest = members.length === 0 ? 0 : Math.ceil(partitionCount(group) / members.length)
  level.fill(highest, 0, topics)
  for (let i = 0; i < members.length; i++) level[topics + members[i]!] = highest
  return level
}

/**
 * If every topic is spread as evenly over the members as can be, nothing can be better, and these prices prove it.
 * Otherwise undefined.
 */
function evenPrices(group: Group, counts: Int32Array): Float64Array | undefined {
  const topics = group.topics.length
  const members = eligibleMembers(group).length
  const share = new Int32Array(topics)
  for (let t = 0; t < topics; t++) share[t] = Math.floor((group.topicStart[t + 1]! - group.topicStart[t]!) / members)
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
