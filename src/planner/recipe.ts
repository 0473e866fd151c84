import type { Ownership } from './claims'
import { type Group, partitionCount } from './group'
import { distribute, noLists, type PartitionLists, sizeOf } from './lists'
import type { PartitionSet } from './partition-set'
import { Shears } from './shears'
import type { Steps, Work } from './steps'
import { targetsOf } from './targets'
import { Turns } from './turns'

export interface Recipe {
  /** What stays with its owner. */
  readonly kept: PartitionSet
  readonly gained: PartitionLists
}

/**
 * The recipe for uniform groups: everybody keeps as much as its target allows, the rest is dealt out.
 *
 * Targets differ by at most one; the larger ones go to those that own the most, ties to the smaller id. A member above
 * its target gives up its highest partition ids (among equal ids the highest topic name). Unassigned partitions are taken
 * in ascending order, topic by topic, each by the member below its target that has the fewest, ties to the smaller id.
 * The result is best in balance and in moves; its spread over topics need not be.
 */
export function* followRecipe(group: Group, { believed, owned }: Ownership, steps: Steps): Work<Recipe> {
  const members = group.memberIds.length
  const partitions = partitionCount(group)
  const targets = targetsOf(group, believed, partitions)
  const kept = owned.copy()
  const shears = new Shears(group, believed, kept)
  let free = partitions - believed.ids.length
  for (let m = 0; m < members; m++) {
    const over = sizeOf(believed, m) - targets[m]!
    if (over <= 0) continue
    shears.cut(m, targets[m]!)
    free += over
    if (steps.spent(4 * sizeOf(believed, m))) yield
  }
  if (free === 0) return { kept, gained: noLists(members) }

  const pool = new Int32Array(free)
  kept.writeMissing(0, partitions, pool, 0)
  if (steps.spent(4 * free)) yield
  const gained = distribute(pool, takersOf(group, believed.start, targets, free), members)
  if (steps.spent(4 * free)) yield
  return { kept, gained }
}

/** Who takes the first, second, ... of the free partitions. */
function takersOf(group: Group, ownedStart: Int32Array, targets: Int32Array, free: number): Int32Array {
  const members = group.memberIds.length
  const member = new Int32Array(members)
  const has = new Int32Array(members)
  const lacks = new Int32Array(members)
  let count = 0
  for (let m = 0; m < members; m++) {
    const owned = ownedStart[m + 1]! - ownedStart[m]!
    if (owned >= targets[m]!) continue
    member[count] = m
    has[count] = owned
    lacks[count++] = targets[m]! - owned
  }
  const takers = new Int32Array(free)
  if (count === 1) return takers.fill(member[0]!)
  new Turns(count).order(count, has, lacks, takers)
  for (let k = 0; k < free; k++) takers[k] = member[takers[k]!]!
  return takers
}
