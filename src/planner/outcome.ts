import { isHeldByOther, type Ownership } from './claims'
import { listOf, type PartitionLists } from './lists'

/** What a round gives out, and what it keeps back. */
export interface Outcome {
  /** Given out in this round. */
  readonly assigned: PartitionLists
  /** The part of `assigned` that its member did not own. */
  readonly gained: PartitionLists
  /** Planned for the member, but another live member may still be working on it. */
  readonly withheld: PartitionLists
}

/** An eager round gives out the whole plan. */
export function giveAll(plan: PartitionLists, gained: PartitionLists): Outcome {
  return { assigned: plan, gained, withheld: { start: new Int32Array(plan.start.length), ids: new Int32Array(0) } }
}

/**
 * A cooperative round (KIP-429) gives out the plan less what another live member holds: it must give that up first. Only
 * the believed owner of a partition keeps it whatever the others say.
 */
export function withholdHeld(plan: PartitionLists, gained: PartitionLists, ownership: Ownership): Outcome {
  const { taken: withheld, left } = divide(gained, (p, m) => isHeldByOther(ownership, p, m))
  if (withheld.ids.length === 0) return giveAll(plan, gained)
  return { assigned: subtract(plan, withheld), gained: left, withheld }
}

/** Lists of those that are to be taken, and of those that are left. */
function divide(
  lists: PartitionLists,
  take: (partition: number, member: number) => boolean,
): { taken: PartitionLists; left: PartitionLists } {
  const members = lists.start.length - 1
  const taken = { start: new Int32Array(members + 1), ids: new Int32Array(lists.ids.length) }
  const left = { start: new Int32Array(members + 1), ids: new Int32Array(lists.ids.length) }
  let takenCount = 0
  let leftCount = 0
  for (let m = 0; m < members; m++) {
    for (let i = lists.start[m]!; i < lists.start[m + 1]!; i++) {
      const partition = lists.ids[i]!
      if (take(partition, m)) taken.ids[takenCount++] = partition
      else left.ids[leftCount++] = partition
    }
    taken.start[m + 1] = takenCount
    left.start[m + 1] = leftCount
  }
  return {
    taken: { start: taken.start, ids: taken.ids.slice(0, takenCount) },
    left: { start: left.start, ids: left.ids.slice(0, leftCount) },
  }
}

/** The lists without those in `less`, which are all in them. */
function subtract(lists: PartitionLists, less: PartitionLists): PartitionLists {
  const members = lists.start.length - 1
  const start = new Int32Array(members + 1)
  const ids = new Int32Array(lists.ids.length - less.ids.length)
  let count = 0
  for (let m = 0; m < members; m++) {
    if (less.start[m] === less.start[m + 1]) {
      const list = listOf(lists, m)
      ids.set(list, count)
      count += list.length
    } else {
      let k = less.start[m]!
      for (let i = lists.start[m]!; i < lists.start[m + 1]!; i++) {
        if (k < less.start[m + 1]! && less.ids[k] === lists.ids[i]) k++
        else ids[count++] = lists.ids[i]!
      }
    }
    start[m + 1] = count
  }
  return { start, ids }
}
