import { describe, expect, it } from '@jest/globals'
import type { Scenario } from '../../src/scenario/scenario'
import { simulate } from '../../src/scenario/simulate'
import { countsOf, hasStayed, idleOf, otherRackOf, sumOf } from './figures'

const lastOf = (scenario: Scenario, strategy: 'sticky' | 'range' = 'sticky') => {
  const { groups, turns } = simulate(scenario, [strategy])
  return { group: groups.at(-1)!, turns: turns.get(strategy)!, turn: turns.get(strategy)!.at(-1)! }
}

describe('A partition', () => {
  const start = {
    topics: [{ topic: 't', partitions: 2 }],
    consumers: [
      { id: 'a', topics: null },
      { id: 'b', topics: null },
    ],
  }

  it('has stayed with whom had it before', () => {
    const { turn } = lastOf({ start, steps: [[{ do: 'crash', id: 'a' }]] })
    expect([0, 1].map(p => hasStayed(turn, 't', p, turn.owners.get('t')![p]!))).toEqual([false, true])
  })

  it('has not stayed with a consumer that lost it by starting again', () => {
    const { turn } = lastOf({
      start: { ...start, consumers: [start.consumers[0]!] },
      steps: [
        [
          { do: 'crash', id: 'a' },
          { do: 'restart', id: 'a' },
        ],
      ],
    })
    expect(turn.owners.get('t')).toEqual(['a', 'a'])
    expect(hasStayed(turn, 't', 0, 'a')).toBe(false)
    expect(turn.moved).toBe(2)
  })
})

describe('Counts', () => {
  const scenario: Scenario = {
    start: {
      topics: [{ topic: 't', partitions: 1 }],
      consumers: [
        { id: 'a', topics: null },
        { id: 'b', topics: null },
        { id: 'c', topics: [] },
        { id: 'd', topics: null },
      ],
    },
    steps: [[{ do: 'crash', id: 'd' }]],
  }

  it('leave out who is down; idle is who could read something and reads nothing', () => {
    const { group, turn } = lastOf(scenario)
    expect([...countsOf(group, turn.owners)]).toEqual([
      ['a', 1],
      ['b', 0],
      ['c', 0],
    ])
    expect(idleOf(group, turn.owners)).toEqual(['b'])
  })

  it('sum up without the first assignment', () => {
    expect(sumOf(lastOf(scenario).turns, 1)).toEqual({ moved: 0, minimum: 0 })
  })
})

describe('Racks', () => {
  const racks = { racks: ['r1', 'r2'], replicas: 1 }
  const of = (rackId: string | null, shape: object) =>
    lastOf({
      start: { topics: [{ topic: 't', partitions: 4, ...shape }], consumers: [{ id: 'a', topics: null, rackId }] },
      steps: [],
    })

  it('count what is read from another one, where both sides tell theirs', () => {
    const { group, turn } = of('r1', racks)
    expect(otherRackOf(group, turn.owners)).toBe(2)
    for (const { group, turn } of [of(null, racks), of('r1', {})])
      expect(otherRackOf(group, turn.owners)).toBeUndefined()
  })
})
