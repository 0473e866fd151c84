/** What can be taken away from the page as text: a `plan` request, and tables in Markdown. */

import type { Strategy } from '../../src/planner/types'
import type { Scenario } from '../../src/scenario/scenario'
import type { History, Owners, Turn } from '../../src/scenario/simulate'
import { describe } from '../../src/scenario/words'
import { countsOf, idleOf } from './figures'

/** The request that the leader planned, as `kafkajs-sticky-assignor plan` reads it. Undefined where nothing was planned. */
export function asRequest(turn: Turn, round: number): string | undefined {
  const request = turn.rounds[Math.min(round, turn.rounds.length - 1)]?.request
  return request && JSON.stringify(request)
}

/** Two tables: what each strategy moved, step by step, and who owns what after the given step. */
export function asTable(scenario: Scenario, history: History, step: number): string {
  const strategies = [...history.turns.keys()]
  const group = history.groups[step]!
  const turnOf = (strategy: Strategy, at: number) => history.turns.get(strategy)![at]!
  const cost = (turn: Turn) => `${turn.moved} (${turn.minimum})`
  const moves = table(
    ['step: moved (needed)', ...strategies],
    scenario.steps.map((actions, i) => [
      `${i + 1}. ${describe(actions)}`,
      ...strategies.map(s => cost(turnOf(s, i + 1))),
    ]),
  )
  const summary = (label: string, figure: (turn: Turn) => string) => [
    label,
    ...strategies.map(s => figure(turnOf(s, step))),
  ]
  const owners = table(
    [`after step ${step}`, ...strategies],
    [
      ...group.consumers.map(({ id, down }) => [
        down ? `${id} (down)` : id,
        ...strategies.map(strategy => shareInWords(id, turnOf(strategy, step).owners)),
      ]),
      summary('partitions each', turn => countsInWords([...countsOf(group, turn.owners).values()])),
      summary('idle', turn => String(idleOf(group, turn.owners).length)),
    ],
  )
  return scenario.steps.length > 0 ? `${moves}\n${owners}` : owners
}

/** `3`, or `2–4`. */
export function countsInWords(counts: readonly number[]): string {
  if (counts.length === 0) return '–'
  const min = Math.min(...counts)
  const max = Math.max(...counts)
  return min === max ? String(min) : `${min}–${max}`
}

function shareInWords(id: string, owners: Owners): string {
  const parts = [...owners].flatMap(([topic, byPartition]) => {
    const partitions = byPartition.flatMap((owner, partition) => (owner === id ? [partition] : []))
    return partitions.length > 0 ? [`${topic} ${partitions.join(',')}`] : []
  })
  return parts.join(' · ') || '–'
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}
