import type { Ownership } from './claims'
import type { Group } from './group'
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
function byTopic({ topics, topicStart }: Group, partitions: Int32Array): TopicPartitions[] {
  const result: TopicPartitions[] = []
  let t = 0
  for (let i = 0; i < partitions.length; ) {
    while (topicStart[t + 1]! <= partitions[i]!) t++
    const start = topicStart[t]!
    const end = topicStart[t + 1]!
    // Written with its first id: a large answer has a million lists of one, and `push` would reserve room for more.
    const ids = [partitions[i++]! - start]
    while (i < partitions.length && partitions[i]! < end) ids.push(partitions[i++]! - start)
    result.push({ topic: topics[t]!, partitions: ids })
  }
  return result
}
