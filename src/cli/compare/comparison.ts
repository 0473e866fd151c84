import type { Strategy } from '../../planner/types'
import type { Group, Scenario } from '../../scenario/scenario'
import { type Owners, running, simulate, type Turn } from '../../scenario/simulate'
import { describe, shapeInWords } from '../../scenario/words'

/** What the strategies make of a history, as `--format json` prints it. */
export interface Comparison {
  readonly steps: readonly ComparedStep[]
  /** Over all steps. */
  readonly totals: readonly { readonly strategy: Strategy; readonly moved: number; readonly minimum: number }[]
  readonly note: string
}

export interface ComparedStep {
  /** 0 is the start. */
  readonly step: number
  readonly what: string
  readonly consumers: number
  readonly partitions: number
  readonly results: readonly Result[]
}

export interface Result {
  readonly strategy: Strategy
  /** Partitions of each consumer, most first. */
  readonly counts: readonly number[]
  /** Consumers that have nothing. */
  readonly idle: readonly string[]
  /** Partitions that did not stay with their owner. */
  readonly moved: number
  /** What the balanced plan with the fewest moves would have moved from the same position. */
  readonly minimum: number
  /** Rebalances: 2 where a cooperative group lets partitions change hands. */
  readonly rebalances: number
  /** By consumer and topic. */
  readonly assignment: Record<string, Record<string, readonly number[]>>
}

const note = [
  'The sizes of the shares are predictable from strategy, topics and the order in which consumers come and go.',
  'Which consumer gets which share is not: member ids decide between equals, and those of a live group are random.',
  'With kafka-sticky even the sets depend on them.',
  'The minimum is what the balanced plan with the fewest moves would move from the same position; a strategy that',
  'leaves the group out of balance may move fewer.',
].join(' ')

export function compareStrategies(scenario: Scenario, strategies: readonly Strategy[]): Comparison {
  const { groups, turns } = simulate(scenario, strategies)
  const turnsOf = (strategy: Strategy) => turns.get(strategy)!
  const sum = (strategy: Strategy, key: 'moved' | 'minimum') =>
    turnsOf(strategy).reduce((total, turn) => total + turn[key], 0)
  return {
    steps: groups.map((group, step) => ({
      step,
      what: step === 0 ? startInWords(group) : describe(scenario.steps[step - 1]!),
      consumers: running(group).length,
      partitions: group.topics.reduce((total, { partitions }) => total + partitions, 0),
      results: strategies.map(strategy => resultOf(group, turnsOf(strategy)[step]!)),
    })),
    totals: strategies.map(strategy => ({
      strategy,
      moved: sum(strategy, 'moved'),
      minimum: sum(strategy, 'minimum'),
    })),
    note,
  }
}

const startInWords = (group: Group): string => group.topics.map(shapeInWords).join(', ')

function resultOf(group: Group, turn: Turn): Result {
  const shares = running(group).map(({ id }) => [id, shareOf(turn.owners, id)] as const)
  const size = (share: Record<string, readonly number[]>) =>
    Object.values(share).reduce((sum, list) => sum + list.length, 0)
  return {
    strategy: turn.strategy,
    counts: shares.map(([, share]) => size(share)).sort((a, b) => b - a),
    idle: shares.filter(([, share]) => size(share) === 0).map(([id]) => id),
    moved: turn.moved,
    minimum: turn.minimum,
    rebalances: turn.rounds.length,
    assignment: Object.fromEntries(shares),
  }
}

function shareOf(owners: Owners, id: string): Record<string, readonly number[]> {
  const lists: [string, number[]][] = []
  for (const [topic, list] of owners) {
    const partitions = list.flatMap((owner, partition) => (owner === id ? [partition] : []))
    if (partitions.length > 0) lists.push([topic, partitions])
  }
  return Object.fromEntries(lists)
}
