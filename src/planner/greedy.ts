import { nobody, type Ownership } from './claims'
import type { Group } from './group'
import { listByMember, type PartitionLists, sizeOf } from './lists'
import type { Steps, Work } from './steps'

/**
 * A valid plan for mixed subscriptions: everybody keeps what it owns, free partitions go to the least loaded
 * subscriber, then partitions move as long as a single move helps the balance.
 */
export function* planGreedily(group: Group, { believed, owner }: Ownership, steps: Steps): Work<PartitionLists> {
  const subscribers: number[][] = group.topics.map(() => [])
  group.subscriptionOf.forEach((s, m) => {
    for (const t of group.subscriptions[s]!) subscribers[t]!.push(m)
  })
  const load = group.memberIds.map((_, m) => sizeOf(believed, m))
  const holder = owner.slice()
  const leastLoaded = (t: number) => subscribers[t]!.reduce((best, m) => (load[m]! < load[best]! ? m : best))

  const topics = group.topics.map((_, t) => t).sort((a, b) => subscribers[a]!.length - subscribers[b]!.length || a - b)
  for (let changed = true; changed; ) {
    changed = false
    for (const t of topics) {
      for (let p = group.topicStart[t]!; p < group.topicStart[t + 1]!; p++) {
        const to = leastLoaded(t)
        const from = holder[p]!
        if (from === nobody || load[from]! > load[to]! + 1) {
          holder[p] = to
          load[to]!++
          if (from !== nobody) load[from]!--
          changed = true
        }
        if (steps.spent(subscribers[t]!.length)) yield
      }
    }
  }
  return listByMember(holder, group.memberIds.length)
}
