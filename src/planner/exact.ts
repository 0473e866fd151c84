import { startAlone } from './alone'
import { balanceFreely } from './balance'
import { type Cells, indexCells } from './cells'
import { type Group, partitionCount } from './group'
import { findLevels } from './levels'
import { plainNetwork } from './plain-network'
import { priceFromRows } from './prices'
import { repair } from './repair'
import type { Steps, Work } from './steps'

/** Counts by cell, and the prices by topic that prove them. */
export interface Solution {
  readonly counts: Int32Array
  readonly price: Float64Array
}

/** The fewest moves, then the best spread, of all plans that the levels allow. */
export function* solveExactly(
  group: Group,
  start: Int32Array,
  cells: Cells | undefined,
  own: Int32Array,
  level: Int32Array,
  steps: Steps,
): Work<Solution> {
  const begin = yield* startAlone(group, start, own, level, steps)
  if (isZero(begin.need)) return { counts: begin.counts, price: pricesAt(begin.waterline) }
  cells ??= yield* indexCells(group, start, steps)
  const network = plainNetwork(partitionCount(group), cells, own, level, begin)
  if (steps.spent(4 * own.length)) yield
  yield* priceFromRows(network, steps)
  yield* repair(network, steps)
  return { counts: network.flow, price: network.potential.slice(0, group.topics.length) }
}

function isZero(need: Int32Array): boolean {
  for (let t = 0; t < need.length; t++) if (need[t] !== 0) return false
  return true
}

function pricesAt(waterline: Int32Array): Float64Array {
  const price = new Float64Array(waterline.length)
  for (let t = 0; t < price.length; t++) price[t] = -2 * waterline[t]!
  return price
}

/** The levels of the best balance. */
export function* levelsOf(group: Group, cells: Cells, steps: Steps): Work<Int32Array> {
  const { counts, load } = yield* balanceFreely(group, cells, steps)
  return yield* findLevels(group.topics.length, cells, counts, load, steps)
}
