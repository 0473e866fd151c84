/**
 * Kafka's algorithm run over the measured groups' histories of joins: the strategies here give the shares that a Kafka
 * 4.3.1 broker was seen to hand out, as sets. Who gets which share is not predictable.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { KafkaGroup, Owners } from '../../src/planner/reference/group'
import { kafkaCooperativeSticky, kafkaSticky, numberGroup, range, roundRobin } from './references'

type Share = Record<string, number[]>

interface Scenario {
  strategy: 'range' | 'roundrobin' | 'sticky' | 'cooperative-sticky'
  topics: Record<string, number>
  consumers: number
  shares: Share[]
  joins: number[]
  ids?: string[]
}

const { scenarios } = JSON.parse(readFileSync(join(__dirname, '../cases/kafka-4.3.1-share-sets.json'), 'utf8')) as {
  scenarios: Scenario[]
}

const assignors: Record<Scenario['strategy'], (group: KafkaGroup) => Owners> = {
  range,
  roundrobin: roundRobin,
  sticky: kafkaSticky,
  'cooperative-sticky': group => kafkaCooperativeSticky(group).owners,
}

function shares(group: KafkaGroup, owners: Owners): Share[] {
  const result: Share[] = group.members.map(() => ({}))
  owners.forEach((m, p) => {
    if (m < 0) return
    const t = group.start.findIndex((_, index) => p < group.start[index + 1]!)
    ;(result[m]![group.topics[t]!] ??= []).push(p - group.start[t]!)
  })
  return result
}

/** Each size of the group is planned until the plan stands still: a cooperative change takes two rounds. */
function replay({ strategy, topics, joins, ids = [] }: Scenario): Share[] {
  let owned: Share[] = []
  let generation = 0
  for (const size of joins) {
    for (let before = ''; before !== JSON.stringify(owned); ) {
      before = JSON.stringify(owned)
      const members = Array.from({ length: size }, (_, i) => ({
        memberId: ids[i] ?? `c${i + 1}`,
        topics: Object.keys(topics),
        owned: owned[i],
        generation: owned[i] ? generation : null,
      }))
      const group = numberGroup({ topics, members })
      owned = shares(group, assignors[strategy](group))
      generation++
    }
  }
  return owned
}

const asSet = (list: Share[]) => list.map(share => JSON.stringify(Object.entries(share).sort())).sort()

test('there are 18 measured scenarios', () => {
  expect(scenarios).toHaveLength(18)
})

test.each(
  scenarios.map(
    scenario => [scenario.strategy, scenario.consumers, JSON.stringify(scenario.topics), scenario] as const,
  ),
)('%s with %i consumers of %s', (_strategy, _consumers, _topics, scenario) => {
  expect(asSet(replay(scenario))).toEqual(asSet(scenario.shares))
})
