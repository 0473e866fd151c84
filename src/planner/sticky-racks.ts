import { type Cells, cellStarts, countByCell, indexCells } from './cells'
import type { Ownership } from './claims'
import { deal } from './deal'
import { levelsOf } from './exact'
import { type Group, partitionCount } from './group'
import { gainedIn, joinLists } from './lists'
import { setOfLists } from './partition-set'
import { priceFromRows } from './prices'
import type { Proven } from './proven'
import { countsByRow, rackNetwork } from './rack-network'
import { inverse, renumber, splitByRacks } from './rack-rows'
import { startAloneWithRacks } from './rack-start'
import { countMismatches, type Racks } from './racks'
import { followRecipe } from './recipe'
import { repair } from './repair'
import { sumOfSquares } from './spread'
import type { Steps, Work } from './steps'
import { uniformLevels } from './uniform'

/** Where racks matter: the best balance, then the fewest rack mismatches, moves, the best spread, then the recipe. */
export function* planStickyWithRacks(group: Group, ownership: Ownership, racks: Racks, steps: Steps): Work<Proven> {
  const cells = yield* indexCells(group, cellStarts(group), steps)
  if (!group.isUniform) return yield* solve(group, cells, ownership, racks, yield* levelsOf(group, cells, steps), steps)
  const exact = yield* solve(group, cells, ownership, racks, uniformLevels(group), steps)
  const { kept, gained } = yield* followRecipe(group, ownership, steps)
  const lists = yield* joinLists(ownership.believed, kept, gained, partitionCount(group), steps)
  if (sumOfSquares(group, lists) !== exact.spread) return exact
  // The recipe never moves more than the exact plan: it is as good if it is in racks and in spread.
  const mismatches = yield* countMismatches(racks, lists, steps)
  return mismatches === (yield* countMismatches(racks, exact.lists, steps)) ? { ...exact, lists, gained } : exact
}

function* solve(
  group: Group,
  cells: Cells,
  { believed }: Ownership,
  racks: Racks,
  level: Int32Array,
  steps: Steps,
): Work<Proven> {
  const split = yield* splitByRacks(group, racks, steps)
  const start = cellStarts(split.group)
  const splitBelieved = yield* renumber(believed, inverse(split.original), steps)
  const own = yield* countByCell(split.group, start, splitBelieved, steps)
  const network = yield* rackNetwork(group, cells, racks, own, level, steps)
  yield* startAloneWithRacks(group, cells, racks, level, network, steps)
  yield* priceFromRows(network, steps)
  yield* repair(network, steps)
  const counts = countsByRow(network, cells, racks)
  const taken = setOfLists(splitBelieved, partitionCount(group))
  if (steps.spent(4 * counts.length + splitBelieved.ids.length)) yield
  const dealt = yield* deal(split.group, start, counts, own, splitBelieved, taken, steps)
  const lists = yield* renumber(dealt.lists, split.original, steps)
  const gained = gainedIn(believed, lists)
  if (steps.spent(4 * lists.ids.length)) yield
  return {
    lists,
    gained,
    level,
    price: network.potential.slice(0, network.rows),
    spread: sumOfSquares(group, lists),
  }
}
