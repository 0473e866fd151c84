import { type Cells, cellStarts, countByCell, indexCells } from './cells'
import type { Ownership } from './claims'
import { type Deal, deal } from './deal'
import { levelsOf } from './exact'
import { type Group, partitionCount } from './group'
import { gainedIn } from './lists'
import { setOfLists } from './partition-set'
import { priceFromRows } from './prices'
import { countsByRow, rackNetwork } from './rack-network'
import { startAloneWithRacks } from './rack-start'
import { countMismatches, inverse, type Racks, renumber, splitByRacks } from './racks'
import { recipeCounts } from './recipe'
import { repair } from './repair'
import { sumOfSquares } from './report'
import type { Steps, Work } from './steps'
import type { Proven } from './sticky'
import { uniformLevels } from './uniform'

/** Where racks matter: the best balance, then the fewest rack mismatches, moves, the best spread, then the recipe. */
export function* planStickyWithRacks(group: Group, ownership: Ownership, racks: Racks, steps: Steps): Work<Proven> {
  const cells = indexCells(group, cellStarts(group))
  if (!group.isUniform) return yield* solve(group, cells, ownership, racks, yield* levelsOf(group, cells, steps), steps)
  const exact = yield* solve(group, cells, ownership, racks, uniformLevels(group), steps)
  const recipe = yield* planByRecipe(group, cells, ownership, steps)
  const spread = sumOfSquares(group, recipe.lists)
  // The recipe never moves more than the exact plan: it is as good if it is in racks and in spread.
  const asGood = spread === exact.spread && countMismatches(racks, recipe.lists) === countMismatches(racks, exact.lists)
  return asGood ? { ...exact, ...recipe } : exact
}

function* solve(
  group: Group,
  cells: Cells,
  { believed }: Ownership,
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
  const counts = countsByRow(network, cells, racks)
  const taken = setOfLists(splitBelieved, partitionCount(group))
  const dealt = yield* deal(split.group, start, counts, own, splitBelieved, taken, steps)
  const lists = renumber(dealt.lists, split.original)
  return {
    lists,
    gained: gainedIn(believed, lists),
    level,
    price: network.potential.slice(0, network.rows),
    spread: sumOfSquares(group, lists),
  }
}

function* planByRecipe(group: Group, cells: Cells, ownership: Ownership, steps: Steps): Work<Deal> {
  const { believed, owned } = ownership
  const own = countByCell(group, cells.start, believed)
  const counts = yield* recipeCounts(group, cells.start, own, ownership, steps)
  return yield* deal(group, cells.start, counts, own, believed, owned.copy(), steps)
}
