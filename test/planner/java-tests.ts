/** What Kafka's tests of its sticky assignors share; see docs/java-tests.md. */
import { expect } from '@jest/globals'
import { plan } from '../../src/planner'
import { nextRequest } from '../../src/planner/testing/notation'
import type { Plan, PlanRequest, TopicPartitions, TopicSpec } from '../../src/planner/types'
import { expectBestPlan, expectValid } from './expect-best-plan'
import { readOracleGroup } from './oracle-group'

export type StickyStrategy = 'sticky' | 'cooperative-sticky'
type Lists = Record<string, readonly number[]>

export interface JavaMember {
  /** All topics where absent. */
  readonly topics?: readonly string[]
  readonly owned?: Lists
  readonly generation?: number
}

export type RackConfig = 'racks of members only' | 'racks of brokers only' | 'all racks for all'

/** Kafka's tests run in these three; racks never decide anything in them. */
export const rackConfigs: readonly RackConfig[] = [
  'racks of members only',
  'racks of brokers only',
  'all racks for all',
]
const racks = ['rack0', 'rack1', 'rack2']

/** Sticky members are eager: they have let go what they claim when they join. */
export function javaGroup(
  strategy: StickyStrategy,
  config: RackConfig,
  counts: Readonly<Record<string, number>>,
  members: Readonly<Record<string, JavaMember>>,
): PlanRequest {
  const withRacks = (count: number): TopicSpec => Array.from({ length: count }, () => racks)
  const brokers = config !== 'racks of members only'
  return {
    strategy,
    topics: Object.fromEntries(Object.entries(counts).map(([topic, n]) => [topic, brokers ? withRacks(n) : n])),
    members: Object.entries(members).map(([memberId, { topics, owned = {}, generation = 1 }], i) => ({
      memberId,
      topics: topics ?? Object.keys(counts),
      [strategy === 'sticky' ? 'released' : 'owned']: owned,
      generation,
      rackId: config === 'racks of brokers only' ? null : racks[i % racks.length]!,
    })),
  }
}

/**
 * Plans, and checks what Kafka's tests check of every assignment, and more: it is complete, and the best there is (up to
 * the size that the oracle can do). A cooperative group settles in two rounds, and no partition changes hands in one.
 */
export function planAndVerify(request: PlanRequest): Plan {
  const answer = plan(request)
  const group = readOracleGroup(request)
  expectValid(group, answer)
  if (group.partitions.length <= 120) expectBestPlan({ ...request, strategy: 'sticky' })
  expect(unbalancedPairs(request, settle(request, answer))).toEqual([])
  return answer
}

/** The plan with which the group stands still. */
export function settle(request: PlanRequest, answer: Plan): Plan {
  if (answer.report.withheld === 0) return answer
  for (const member of answer.memberIds) {
    const given = new Set(keys(answer.assignment(member)))
    for (const other of answer.memberIds) expect(keys(answer.revoked(other)).filter(key => given.has(key))).toEqual([])
  }
  const next = nextRequest(request, answer)
  const settled = plan(next)
  expect(settled.report.withheld).toBe(0)
  expectValid(readOracleGroup(next), settled)
  return settled
}

/** The next request once the group stands still, with members changed, gone (null) or new. */
export function afterwards(
  request: PlanRequest,
  answer: Plan,
  changes: Readonly<Record<string, JavaMember | null>> = {},
): PlanRequest {
  const settled = settle(request, answer)
  const next = nextRequest(request, settled)
  const kept = next.members.flatMap(member => {
    const change = changes[member.memberId]
    if (change === null) return []
    const claims = member.owned
    const topics = change?.topics ?? member.topics
    return [{ ...member, topics, owned: undefined, [request.strategy === 'sticky' ? 'released' : 'owned']: claims }]
  })
  const joining = Object.entries(changes).filter(
    ([id, change]) => change && !next.members.some(member => member.memberId === id),
  )
  const joined = joining.map(([memberId, change]) => ({
    memberId,
    topics: change!.topics ?? Object.keys(request.topics),
    [request.strategy === 'sticky' ? 'released' : 'owned']: change!.owned ?? {},
    generation: change!.generation ?? null,
  }))
  return { ...next, members: [...kept, ...joined] }
}

const keys = (lists: readonly TopicPartitions[]) =>
  lists.flatMap(({ topic, partitions }) => partitions.map(partition => `${topic}-${partition}`))

/** Kafka's test of balance: members whose loads differ by two or more share no assigned topic. */
function unbalancedPairs(request: PlanRequest, answer: Plan): string[] {
  const assigned = request.members.map(({ memberId }) => ({
    memberId,
    topics: new Set(answer.assignment(memberId).map(({ topic }) => topic)),
    load: keys(answer.assignment(memberId)).length,
  }))
  const pairs: string[] = []
  for (const a of assigned) {
    for (const b of assigned) {
      if (a.load >= b.load + 2 && [...a.topics].some(topic => b.topics.has(topic)))
        pairs.push(`${a.memberId} ${b.memberId}`)
    }
  }
  return pairs
}

/** `{ c1: 't-0 t-2', c2: '' }`: what each member has or waits for, in the order of names. */
export function wholePlan(answer: Plan): Record<string, string> {
  return Object.fromEntries(
    answer.memberIds.map(id => [
      id,
      keys([...answer.assignment(id), ...answer.withheld(id)])
        .sort()
        .join(' '),
    ]),
  )
}

export function waiting(answer: Plan): Record<string, string> {
  const lists = answer.memberIds.map(id => [id, keys(answer.withheld(id)).join(' ')] as const)
  return Object.fromEntries(lists.filter(([, text]) => text !== ''))
}

export const loadsOf = (answer: Plan): number[] => answer.memberIds.map(id => keys(answer.assignment(id)).length)
