import { describe, expect, test } from '@jest/globals'
import { type KafkaGroup, type Owners, topicIndexes } from '../../src/planner/reference/group'
import { hashOrder } from '../../src/planner/reference/java-hash'
import { type GoldenRow, goldenRows } from './golden'
import { kafkaCooperativeSticky, kafkaSticky, numberGroup, range, roundRobin } from './references'

const rows = goldenRows()
const byKind = new Map<string, GoldenRow[]>()
for (const row of rows) byKind.set(row.kind, [...(byKind.get(row.kind) ?? []), row])

/** Each member's partitions as Kafka writes them, as sets: neither side promises an order. */
function sets(group: KafkaGroup, owners: Owners): Record<string, string[]> {
  const assigned = group.members.map(() => [] as string[])
  owners.forEach((m, p) => {
    if (m >= 0) assigned[m]!.push(nameOf(group, p))
  })
  return Object.fromEntries(group.members.map(({ memberId }, m) => [memberId, assigned[m]!.sort()]))
}

function nameOf(group: KafkaGroup, p: number): string {
  const t = topicIndexes(group)[p]!
  return `${group.topics[t]}-${p - group.start[t]!}`
}

const sorted = (answer: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(answer).map(([id, partitions]) => [id, [...partitions].sort()]))

test('the file holds 299 groups of six kinds', () => {
  expect(Object.fromEntries([...byKind].map(([kind, { length }]) => [kind, length]))).toEqual({
    uniform: 50,
    general: 50,
    'uniform-rack': 50,
    'general-rack': 50,
    'uniform-conflict': 49,
    'general-conflict': 50,
  })
})

describe.each([...byKind])("every partition where Kafka's assignors put it: %s", (_, group) => {
  test.each(group.map(row => [row.n, row] as const))('group %i', (_, row) => {
    const numbered = numberGroup(row)
    expect(hashOrder(row.members.map(member => member.memberId)).map(m => row.members[m]!.memberId)).toEqual(
      row.hashMapOrder,
    )
    expect(sets(numbered, range(numbered))).toEqual(sorted(row.answers.range))
    expect(sets(numbered, roundRobin(numbered))).toEqual(sorted(row.answers.roundrobin))
    expect(sets(numbered, kafkaSticky(numbered))).toEqual(sorted(row.answers.sticky))
    const cooperative = kafkaCooperativeSticky(numbered)
    expect(sets(numbered, cooperative.owners)).toEqual(sorted(row.answers['cooperative-sticky']))
    if (row.transferring) {
      const transferring = [...cooperative.transferring].map(([p, m]) => [
        nameOf(numbered, p),
        numbered.members[m]!.memberId,
      ])
      expect(Object.fromEntries(transferring)).toEqual(row.transferring)
    }
  })
})
