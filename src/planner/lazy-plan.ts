import type { Ownership } from './claims'
import { type Group, topicOf } from './group'
import { listOf, type PartitionLists } from './lists'
import type { Outcome } from './outcome'
import type { Racks } from './racks'
import { reasonsFor } from './reasons'
import type { Plan, PlanReport, TopicPartitions } from './types'

/** A plan in numbers; names and lists are made when somebody asks for them. */
export class LazyPlan implements Plan {
  private numbers: Map<string, number> | undefined

  constructor(
    readonly report: PlanReport,
    private readonly group: Group,
    private readonly ownership: Ownership,
    private readonly outcome: Outcome,
    private readonly racks: Racks | undefined,
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
    const { racks } = this
    const mismatch = racks && ((member: number, partition: number) => racks.mismatch(member, racks.rowOf[partition]!))
    return reasonsFor(this.group, this.ownership.believed, this.outcome, mismatch)
  }

  private number(memberId: string): number | undefined {
    this.numbers ??= new Map(this.group.memberIds.map((id, m) => [id, m]))
    return this.numbers.get(memberId)
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
