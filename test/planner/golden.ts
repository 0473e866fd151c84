/** Groups with the answers of Kafka's own assignors; see test/cases/README.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanMember, TopicSpec } from '../../src/planner/types'

type Answer = Readonly<Record<string, readonly string[]>>

export interface GoldenRow {
  readonly n: number
  readonly kind: string
  readonly topics: Readonly<Record<string, TopicSpec>>
  readonly members: readonly PlanMember[]
  readonly hashMapOrder: readonly string[]
  readonly answers: Readonly<Record<'range' | 'roundrobin' | 'sticky' | 'cooperative-sticky', Answer>>
  readonly transferring: Readonly<Record<string, string>> | null
}

interface RawRow {
  n: number
  kind: string
  partitions: Record<string, number>
  partitionRacks: Record<string, string[]> | null
  members: {
    id: string
    topics: string[]
    owned: string[]
    generation: number
    rack: string | null
    instance: string | null
  }[]
  hashMapOrder: string[]
  range: Answer
  roundrobin: Answer
  sticky: Answer
  'cooperative-sticky': Answer
  transferring: Record<string, string> | null
}

export function goldenRows(): GoldenRow[] {
  const text = readFileSync(join(__dirname, '../cases/kafka-golden.jsonl'), 'utf8')
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => readRow(JSON.parse(line) as RawRow))
}

function readRow(raw: RawRow): GoldenRow {
  const racksOf = (topic: string, count: number) =>
    Array.from({ length: count }, (_, partition) => raw.partitionRacks![`${topic}-${partition}`]!)
  return {
    n: raw.n,
    kind: raw.kind,
    topics: Object.fromEntries(
      Object.entries(raw.partitions).map(([topic, count]) => [
        topic,
        raw.partitionRacks ? racksOf(topic, count) : count,
      ]),
    ),
    members: raw.members.map(member => ({
      memberId: member.id,
      topics: member.topics,
      owned: member.owned.map(parsePartition).map(({ topic, partition }) => ({ topic, partitions: [partition] })),
      generation: member.generation,
      instanceId: member.instance,
      rackId: member.rack,
    })),
    hashMapOrder: raw.hashMapOrder,
    answers: {
      range: raw.range,
      roundrobin: raw.roundrobin,
      sticky: raw.sticky,
      'cooperative-sticky': raw['cooperative-sticky'],
    },
    transferring: raw.transferring,
  }
}

/** "topic-partition", split at the last dash. */
export function parsePartition(name: string): { topic: string; partition: number } {
  const dash = name.lastIndexOf('-')
  return { topic: name.slice(0, dash), partition: Number(name.slice(dash + 1)) }
}
