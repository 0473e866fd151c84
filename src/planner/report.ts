import type { Ownership } from './claims'
import { type Group, partitionCount } from './group'
import { type PartitionLists, sizeOf } from './lists'
import type { Outcome } from './outcome'
import type { PartitionSet } from './partition-set'
import type { MemberChange, PlanReport, Strategy } from './types'

/** What is known of a plan beside the lists. */
export interface Figures extends Pick<PlanReport, 'spread' | 'rackMismatches' | 'minimumMoves'> {}

/** Counts what a plan does to the group. */
export function reportOn(
  strategy: Strategy,
  group: Group,
  { believed, owned, rejected }: Ownership,
  { assigned, gained, withheld }: Outcome,
  figures: Figures,
): PlanReport {
  const members = group.memberIds.length
  const moved = gained.ids.length
  const transferred =
    withheld.ids.length === 0 ? believed.ids.length - (partitionCount(group) - moved) : countIn(owned, gained)
  const changes: MemberChange[] = new Array(members)
  const before = new Range()
  const after = new Range()
  for (let m = 0; m < members; m++) {
    const kept = sizeOf(assigned, m) - sizeOf(gained, m)
    changes[m] = {
      memberId: group.memberIds[m]!,
      assigned: sizeOf(assigned, m),
      kept,
      gained: sizeOf(gained, m),
      lost: sizeOf(believed, m) - kept,
    }
    // Members without topics do not count.
    if (group.subscriptions[group.subscriptionOf[m]!]!.length === 0) continue
    before.add(sizeOf(believed, m))
    after.add(sizeOf(assigned, m) + sizeOf(withheld, m))
  }
  return {
    strategy,
    members,
    partitions: partitionCount(group),
    kept: assigned.ids.length - moved,
    moved,
    transferred,
    unclaimed: moved - transferred,
    withheld: withheld.ids.length,
    minimumMoves: figures.minimumMoves,
    balance: after.ends(),
    balanceBefore: before.ends(),
    spread: figures.spread,
    rackMismatches: figures.rackMismatches,
    rejectedClaims: rejected,
    missingTopics: group.missingTopics,
    changes,
  }
}

/** Least and most of some counts; both 0 where there are none. */
class Range {
  private min = Number.POSITIVE_INFINITY
  private max = 0

  add(count: number): void {
    if (count < this.min) this.min = count
    if (count > this.max) this.max = count
  }

  ends(): { min: number; max: number } {
    return { min: Math.min(this.min, this.max), max: this.max }
  }
}

function countIn(set: PartitionSet, { ids }: PartitionLists): number {
  let count = 0
  for (let i = 0; i < ids.length; i++) if (set.has(ids[i]!)) count++
  return count
}
