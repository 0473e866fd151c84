import type { Ownership } from './claims'
import type { PartitionLists } from './lists'

/** What a round gives out, and what it keeps back. */
export interface Outcome {
  /** Given out in this round. */
  readonly assigned: PartitionLists
  /** Planned for the member, but another live member may still be working on it. */
  readonly withheld: PartitionLists
}

/** An eager round gives out the whole plan. */
export function giveAll(plan: PartitionLists): Outcome {
  return { assigned: plan, withheld: { start: new Int32Array(plan.start.length), ids: new Int32Array(0) } }
}

/**
 * A cooperative round (KIP-429) gives out the plan less what another live member holds: it must give that up first. Only
 * the believed owner of a partition keeps it whatever the others say.
 */
export function withholdHeld(plan: PartitionLists, ownership: Ownership): Outcome {
  const members = plan.start.length - 1
  const assigned = { start: new Int32Array(members + 1), ids: new Int32Array(plan.ids.length) }
  const withheld: number[] = []
  const withheldStart = new Int32Array(members + 1)
  let given = 0
  for (let m = 0; m < members; m++) {
    for (let i = plan.start[m]!; i < plan.start[m + 1]!; i++) {
      const partition = plan.ids[i]!
      if (ownership.owner[partition] !== m && ownership.heldByOther(partition, m)) withheld.push(partition)
      else assigned.ids[given++] = partition
    }
    assigned.start[m + 1] = given
    withheldStart[m + 1] = withheld.length
  }
  if (withheld.length === 0) return giveAll(plan)
  return {
    assigned: { start: assigned.start, ids: assigned.ids.slice(0, given) },
    withheld: { start: withheldStart, ids: Int32Array.from(withheld) },
  }
}
