import type { Ownership } from './claims'
import { type Group, partitionCount, topicOf } from './group'
import { listOf, type PartitionLists, sizeOf } from './lists'
import type { Outcome } from './outcome'
import type { Plan, PlanReport, TopicPartitions } from './types'

const nobody = -1

/** A plan in numbers; names and lists are made when somebody asks for them. */
export class LazyPlan implements Plan {
  private numbers: Map<string, number> | undefined

  constructor(
    readonly report: PlanReport,
    private readonly group: Group,
    private readonly ownership: Ownership,
    private readonly outcome: Outcome,
    /** Checks that no plan is better; undefined for strategies that do not aim at it. */
    readonly proof?: () => string[],
  ) {}

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
    const m = this.number(memberId)
    if (m === undefined) return []
    const kept = new Set(listOf(this.outcome.assigned, m))
    return byTopic(
      this.group,
      listOf(this.ownership.believed, m).filter(p => !kept.has(p)),
    )
  }

  reasons(): string[] {
    const lines: string[] = []
    const { gained, withheld } = this.outcome
    const owner = this.owners()
    for (const lists of [gained, withheld]) {
      this.group.memberIds.forEach((to, m) => {
        for (const partition of listOf(lists, m)) lines.push(this.reason(partition, owner[partition]!, to))
      })
    }
    return lines
  }

  /** By partition: its believed owner. */
  private owners(): Int32Array {
    const owner = new Int32Array(partitionCount(this.group)).fill(nobody)
    this.group.memberIds.forEach((_, m) => {
      for (const partition of listOf(this.ownership.believed, m)) owner[partition] = m
    })
    return owner
  }

  private number(memberId: string): number | undefined {
    this.numbers ??= new Map(this.group.memberIds.map((id, m) => [id, m]))
    return this.numbers.get(memberId)
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
    const m = this.number(memberId)
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
