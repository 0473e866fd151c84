import { cellStarts, countByCell, indexCells } from './cells'
import type { Ownership } from './claims'
import { type Deal, deal } from './deal'
import { levelsOf, solveExactly } from './exact'
import type { Group } from './group'
import type { Steps, Work } from './steps'
import {
  dealAround,
  evenShares,
  pricesOfShares,
  solveUniform,
  spreadOfShares,
  sumOfSquaredCounts,
  uniformLevels,
} from './uniform'

/** A plan, and the prices that prove that none is better (certificate.ts). */
export interface Proven extends Deal {
  /** By topic, then by member: see levels.ts. */
  readonly level: Int32Array
  /** By topic, or by row where racks matter: what a partition of it costs whoever takes one. */
  readonly price: Float64Array
  /** Sum over topics and members of squared counts. */
  readonly spread: number
}

/** Without racks: the best balance, then the fewest moves, then the best spread, then the recipe. */
export function* planSticky(group: Group, ownership: Ownership, steps: Steps): Work<Proven> {
  const { believed, owned } = ownership
  if (group.isUniform && believed.ids.length === 0) return planAllNew(group)
  const start = cellStarts(group)
  const own = countByCell(group, start, believed)
  const cells = group.isUniform ? undefined : indexCells(group, start)
  const level = cells ? yield* levelsOf(group, cells, steps) : uniformLevels(group)
  const { counts, price } = cells
    ? yield* solveExactly(group, start, cells, own, level, steps)
    : yield* solveUniform(group, start, own, ownership, level, steps)
  const { lists, gained } = yield* deal(group, start, counts, own, believed, owned.copy(), steps)
  return { lists, gained, level, price, spread: sumOfSquaredCounts(counts) }
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
