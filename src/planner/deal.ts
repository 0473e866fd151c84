import type { Group } from './group'
import { listByMember, listOf, type PartitionLists } from './lists'
import { dealToFewest } from './recipe'
import type { Steps, Work } from './steps'

/**
 * Turns counts by cell into partitions. Everybody keeps what it owned as far as its counts allow, the lowest ids first;
 * the rest is dealt topic by topic in ascending order, each to the member that still lacks some of the topic and has the
 * fewest partitions, ties to the smaller id.
 */
export function* deal(
  group: Group,
  start: Int32Array,
  counts: Int32Array,
  believed: PartitionLists,
  steps: Steps,
): Work<PartitionLists> {
  const members = group.memberIds.length
  const topics = group.topics.length
  const holder = new Int32Array(group.topicStart[topics]!).fill(-1)
  const has = new Int32Array(members)
  const takers: number[][] = group.topics.map(() => [])
  const lacks: number[][] = group.topics.map(() => [])
  for (let m = 0; m < members; m++) {
    const own = listOf(believed, m)
    const subscription = group.subscriptions[group.subscriptionOf[m]!]!
    let k = 0
    for (let i = 0; i < subscription.length; i++) {
      const t = subscription[i]!
      const end = group.topicStart[t + 1]!
      let left = counts[start[m]! + i]!
      for (; k < own.length && own[k]! < end; k++) {
        if (left === 0) continue
        holder[own[k]!] = m
        has[m]!++
        left--
      }
      if (left > 0) {
        takers[t]!.push(m)
        lacks[t]!.push(left)
      }
    }
    if (steps.spent(own.length + subscription.length)) yield
  }
  for (let t = 0; t < topics; t++) {
    const taking = takers[t]!
    if (taking.length === 0) continue
    const first = taking.map(m => has[m]!)
    const goals = taking.map((_, i) => first[i]! + lacks[t]![i]!)
    const order = dealToFewest(
      first,
      goals,
      lacks[t]!.reduce((a, b) => a + b, 0),
    )
    for (let p = group.topicStart[t]!, next = 0; next < order.length; p++) {
      if (holder[p]! < 0) holder[p] = taking[order[next++]!]!
    }
    taking.forEach((m, i) => {
      has[m] = goals[i]!
    })
    if (steps.spent(group.topicStart[t + 1]! - group.topicStart[t]!)) yield
  }
  return listByMember(holder, members)
}
