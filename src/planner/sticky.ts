import { cellStarts, countByCell, indexCells } from './cells'
import type { Ownership } from './claims'
import { deal } from './deal'
import { levelsOf, solveExactly } from './exact'
import type { Group } from './group'
import type { Proven } from './proven'
import { sumOfSquaredCounts } from './spread'
import type { Steps, Work } from './steps'
import { planUniform } from './uniform'

/** Without racks: the best balance, then the fewest moves, then the best spread, then the recipe. */
export function* planSticky(group: Group, ownership: Ownership, steps: Steps): Work<Proven> {
  if (group.isUniform) return yield* planUniform(group, ownership, steps)
  const { believed, owned } = ownership
  const start = cellStarts(group)
  const own = yield* countByCell(group, start, believed, steps)
  const cells = yield* indexCells(group, start, steps)
  const level = yield* levelsOf(group, cells, steps)
  const { counts, price } = yield* solveExactly(group, start, cells, own, level, steps)
  const { lists, gained } = yield* deal(group, start, counts, own, believed, owned.copy(), steps)
  return { lists, gained, level, price, spread: sumOfSquaredCounts(counts) }
}
