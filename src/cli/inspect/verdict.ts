import type { LiveGroup } from '../../cluster'
import { type PartitionsByTopic, planRequest } from '../../dry-run'
import { canonicalPartitions, type TopicPartitions } from '../../protocol'
import { byTopic, existingTopics, type RequestJson } from './request'

/** How good the group's assignment is, by the objective of the sticky strategy: complete, balanced, spread. */
export interface Verdict {
  /** Partitions of the members that subscribe an existing topic. */
  readonly balance: { readonly min: number; readonly max: number }
  /** The best balance that the subscriptions allow. */
  readonly best: { readonly min: number; readonly max: number }
  /** Partitions that have to move, or to be given out, for the best balance. */
  readonly movesToBest: number
  /** Everything is assigned once, to a subscriber, and no other assignment is better balanced. */
  readonly optimum: boolean
  /** Sum over topics and members of squared counts; `least` is that of the best spread at the best balance. */
  readonly spread: { readonly sumOfSquares: number; readonly least: number; readonly proven: boolean }
  readonly unassigned: PartitionsByTopic
  /** Assigned to more than one member. */
  readonly assignedTwice: PartitionsByTopic
  /** Assigned to members that do not subscribe the topic, or no partitions of an existing topic. */
  readonly stray: readonly { readonly memberId: string; readonly partitions: PartitionsByTopic }[]
}

/** Of a group at rest. */
export function judge(group: LiveGroup): Verdict {
  const sizes = new Map(group.topics.map(({ topic, partitions }) => [topic, partitions]))
  const owners = new Map<string, number[]>()
  for (const topic of new Set(group.members.flatMap(({ subscription }) => subscription.topics)))
    owners.set(topic, Array<number>(sizes.get(topic) ?? 0).fill(0))
  const stray: { memberId: string; partitions: PartitionsByTopic }[] = []
  const loads: number[] = []
  let sumOfSquares = 0
  for (const { memberId, subscription, assignment } of group.members) {
    const subscribed = new Set(subscription.topics)
    const strange: TopicPartitions[] = []
    let load = 0
    for (const { topic, partitions } of assignment.partitions) {
      const counts = subscribed.has(topic) ? owners.get(topic)! : []
      for (const partition of partitions)
        if (partition < counts.length) counts[partition]!++
        else strange.push({ topic, partitions: [partition] })
      const valid = partitions.filter(partition => partition < counts.length).length
      load += valid
      sumOfSquares += valid * valid
    }
    if (strange.length > 0) stray.push({ memberId, partitions: byTopic(canonicalPartitions(strange)) })
    if ([...subscribed].some(topic => (sizes.get(topic) ?? 0) > 0)) loads.push(load)
  }
  const where = (test: (count: number) => boolean) =>
    canonicalPartitions(
      [...owners].map(([topic, counts]) => ({ topic, partitions: counts.flatMap((n, p) => (test(n) ? [p] : [])) })),
    )
  const assignedTwice = where(count => count > 1)
  const stickiest = planRequest(asSticky(group, true))
  const fresh = planRequest(asSticky(group, false))
  return {
    balance: {
      min: loads.length === 0 ? 0 : loads.reduce((a, b) => Math.min(a, b)),
      max: loads.reduce((a, b) => Math.max(a, b), 0),
    },
    best: stickiest.balance,
    movesToBest: stickiest.moved,
    optimum: stickiest.moved === 0 && assignedTwice.length === 0 && stray.length === 0,
    spread: { sumOfSquares, least: fresh.spread.sumOfSquares, proven: fresh.spread.proven },
    unassigned: byTopic(where(count => count === 0)),
    assignedTwice: byTopic(assignedTwice),
    stray,
  }
}

/** The group as the sticky strategy sees it, with or without what it has. */
function asSticky(group: LiveGroup, owning: boolean): RequestJson {
  return {
    strategy: 'sticky',
    topics: existingTopics(group),
    members: group.members.map(({ memberId, subscription, assignment }) => ({
      memberId,
      topics: subscription.topics,
      owned: owning ? byTopic(assignment.partitions) : {},
    })),
  }
}
