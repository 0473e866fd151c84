import { nobody, type Ownership } from './claims'
import { type Group, partitionCount } from './group'
import { sizeOf } from './lists'
import type { Outcome } from './outcome'
import type { MemberChange, PlanReport, Strategy } from './types'

/** Counts what a plan does to the group. */
export function reportOn(
  strategy: Strategy,
  group: Group,
  ownership: Ownership,
  outcome: Outcome,
  verdict: Pick<PlanReport, 'rackMismatches' | 'minimumMoves'> & { readonly spreadProven: boolean },
): PlanReport {
  const { assigned, withheld } = outcome
  const changes: MemberChange[] = []
  let kept = 0
  let transferred = 0
  for (let m = 0; m < group.memberIds.length; m++) {
    let keptHere = 0
    for (let i = assigned.start[m]!; i < assigned.start[m + 1]!; i++) {
      const owner = ownership.owner[assigned.ids[i]!]!
      if (owner === m) keptHere++
      else if (owner !== nobody) transferred++
    }
    kept += keptHere
    changes.push({
      memberId: group.memberIds[m]!,
      assigned: sizeOf(assigned, m),
      kept: keptHere,
      gained: sizeOf(assigned, m) - keptHere,
      lost: sizeOf(ownership.believed, m) - keptHere,
    })
  }
  const moved = assigned.ids.length - kept
  return {
    strategy,
    members: group.memberIds.length,
    partitions: partitionCount(group),
    kept,
    moved,
    transferred,
    unclaimed: moved - transferred,
    withheld: withheld.ids.length,
    minimumMoves: verdict.minimumMoves,
    balance: balanceOf(group, outcome),
    spread: { sumOfSquares: sumOfSquares(group, outcome), proven: verdict.spreadProven },
    rackMismatches: verdict.rackMismatches,
    rejectedClaims: ownership.rejected,
    missingTopics: group.missingTopics,
    changes,
  }
}

/** Of the plan as intended: what is withheld counts for its intended owner. Members without topics do not count. */
function balanceOf(group: Group, { assigned, withheld }: Outcome): { min: number; max: number } {
  let min = Number.POSITIVE_INFINITY
  let max = 0
  for (let m = 0; m < group.memberIds.length; m++) {
    if (group.subscriptions[group.subscriptionOf[m]!]!.length === 0) continue
    const load = sizeOf(assigned, m) + sizeOf(withheld, m)
    min = Math.min(min, load)
    max = Math.max(max, load)
  }
  return { min: Math.min(min, max), max }
}

/** Over topics and members; what is withheld counts for its intended owner. */
function sumOfSquares(group: Group, { assigned, withheld }: Outcome): number {
  const counts = new Int32Array(group.topics.length)
  let sum = 0
  for (let m = 0; m < group.memberIds.length; m++) {
    for (const lists of [assigned, withheld]) {
      for (let i = lists.start[m]!, t = 0; i < lists.start[m + 1]!; i++) {
        while (group.topicStart[t + 1]! <= lists.ids[i]!) t++
        // The squares of 1, 2, 3, ... grow by 1, 3, 5, ...
        sum += 2 * counts[t]!++ + 1
      }
    }
    counts.fill(0)
  }
  return sum
}
