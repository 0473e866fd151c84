import { nobody, type Ownership } from './claims'
import { type Group, topicOf } from './group'
import { listOf, type PartitionLists, sizeOf } from './lists'
import type { Outcome } from './outcome'
import type { Plan, PlanReport, TopicPartitions } from './types'

/** A plan in numbers; names and lists are made when somebody asks for them. */
export class LazyPlan implements Plan {
  private readonly members: Map<string, number>

  constructor(
    readonly report: PlanReport,
    private readonly group: Group,
    private readonly ownership: Ownership,
    private readonly outcome: Outcome,
    /** Checks that no plan is better; undefined for strategies that do not aim at it. */
    readonly proof?: () => string[],
  ) {
    this.members = new Map(group.memberIds.map((id, m) => [id, m]))
  }

  get memberIds(): readonly string[] {
    return this.group.memberIds
  }

  assignment(memberId: string): TopicPartitions[] {
    return this.named(this.outcome.assigned, memberId)
  }

  withheld(memberId: string): TopicPartitions[] {
    return this.named(this.outcome.withheld, memberId)
  }

  revoked(memberId: string): TopicPartitions[] {
    const m = this.members.get(memberId)
    if (m === undefined) return []
    const kept = new Set(listOf(this.outcome.assigned, m))
    return byTopic(
      this.group,
      listOf(this.ownership.believed, m).filter(p => !kept.has(p)),
    )
  }

  reasons(): string[] {
    const lines: string[] = []
    const { assigned, withheld } = this.outcome
    for (const lists of [assigned, withheld]) {
      this.group.memberIds.forEach((to, m) => {
        for (const partition of listOf(lists, m)) {
          const owner = this.ownership.owner[partition]!
          if (owner !== m) lines.push(this.reason(partition, owner, to))
        }
      })
    }
    return lines
  }

  private reason(partition: number, owner: number, to: string): string {
    const t = topicOf(this.group, partition)
    const name = `${this.group.topics[t]}-${partition - this.group.topicStart[t]!}`
    if (owner === nobody) return `${name}: → ${to}, nobody owned it`
    const owned = sizeOf(this.ownership.believed, owner)
    const target = sizeOf(this.outcome.assigned, owner) + sizeOf(this.outcome.withheld, owner)
    const from = this.group.memberIds[owner]
    return `${name}: ${from} → ${to}, ${from} owned ${owned}, target ${target}`
  }

  private named(lists: PartitionLists, memberId: string): TopicPartitions[] {
    const m = this.members.get(memberId)
    return m === undefined ? [] : byTopic(this.group, listOf(lists, m))
  }
}

/** Ascending partition numbers as names and ids. */
function byTopic(group: Group, partitions: Int32Array): TopicPartitions[] {
  const { topics, topicStart } = group
  const result: TopicPartitions[] = []
  for (let i = 0; i < partitions.length; ) {
    const t = topicOf(group, partitions[i]!)
    const first = i
    while (i < partitions.length && partitions[i]! < topicStart[t + 1]!) i++
    result.push({ topic: topics[t]!, partitions: Array.from(partitions.subarray(first, i), p => p - topicStart[t]!) })
  }
  return result
}
