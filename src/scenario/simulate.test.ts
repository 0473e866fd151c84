import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Strategy } from '../planner/types'
import { type Action, type Consumer, groupsOf, type Scenario, type Step } from './scenario'
import { type Owners, running, simulate, subscription } from './simulate'

const all: Strategy[] = ['range', 'roundrobin', 'kafka-sticky', 'sticky', 'cooperative-sticky']
const everyTopic = (id: string): Consumer => ({ id, topics: null })
const join = (id: string): Action => ({ do: 'join', consumer: everyTopic(id) })
const shareOf = (owners: Owners, id: string, topic = 't') =>
  owners.get(topic)!.flatMap((owner, partition) => (owner === id ? [partition] : []))
const play = (scenario: Scenario, strategy: Strategy) => simulate(scenario, [strategy]).turns.get(strategy)!

const trace: Scenario = {
  start: {
    topics: [{ topic: 't', partitions: 9 }],
    consumers: ['W', 'X', 'Y'].map(everyTopic),
    owned: { W: { t: [0, 1, 2] }, X: { t: [3, 4, 5, 6] }, Y: { t: [7, 8] } },
  },
  steps: [[{ do: 'crash', id: 'W' }, join('Z')]],
}

describe('The worked trace', () => {
  it('moves four with sticky', () => {
    const [given, turn] = play(trace, 'sticky')
    expect(given).toMatchObject({ rounds: [], moved: 0 })
    expect(['W', 'X', 'Y', 'Z'].map(id => shareOf(turn!.owners, id))).toEqual([[], [3, 4, 5], [2, 7, 8], [0, 1, 6]])
    expect(turn).toMatchObject({ kept: 5, moved: 4, transferred: 1, unclaimed: 3, minimum: 4 })
    expect(turn!.standstill).toEqual({ goOn: 0, returned: 5, handedOver: 1, orphaned: 3 })
  })

  it('takes two rounds with cooperative-sticky, and ends at the same', () => {
    const turn = play(trace, 'cooperative-sticky')[1]!
    expect(turn.rounds).toHaveLength(2)
    const [first, second] = turn.rounds
    expect(shareOf(first!.owners, 'Z')).toEqual([0, 1])
    expect(shareOf(first!.withheld, 'Z')).toEqual([6])
    expect(shareOf(second!.owners, 'Z')).toEqual([0, 1, 6])
    expect(second!.generation).toBe(first!.generation + 1)
    expect(turn).toMatchObject({ kept: 5, moved: 4, transferred: 1, unclaimed: 3, minimum: 4 })
    expect(turn.standstill).toEqual({ goOn: 5, returned: 0, handedOver: 1, orphaned: 3 })
  })
})

describe('A consumer that starts again', () => {
  const start = { topics: [{ topic: 't', partitions: 4 }], consumers: ['a', 'b'].map(everyTopic) }
  const claims = (steps: Step[]) =>
    play({ start, steps }, 'sticky').map(({ rounds }) => rounds[0]!.request.members.find(m => m.memberId === 'a'))

  it('owns nothing', () => {
    const [, down, back] = claims([[{ do: 'crash', id: 'a' }], [{ do: 'restart', id: 'a' }]])
    expect(down).toBeUndefined()
    expect(back).toMatchObject({ owned: {}, generation: null })
  })

  it('owns nothing either if it is back within one rebalance', () => {
    const [, back] = claims([
      [
        { do: 'crash', id: 'a' },
        { do: 'restart', id: 'a' },
      ],
    ])
    expect(back).toMatchObject({ owned: {}, generation: null })
  })
})

describe('Claims', () => {
  it('carry the generation of the last assignment and name no topic that is gone or not subscribed any more', () => {
    const start = {
      topics: [
        { topic: 't', partitions: 2 },
        { topic: 'u', partitions: 2 },
        { topic: 'v', partitions: 2 },
      ],
      consumers: [everyTopic('a')],
    }
    const steps: Step[] = [
      [
        { do: 'delete', topic: 't' },
        { do: 'subscribe', id: 'a', topics: ['v'] },
      ],
    ]
    const { members } = play({ start, steps }, 'sticky')[1]!.rounds[0]!.request
    expect(members).toEqual([{ memberId: 'a', topics: ['v'], owned: { v: [0, 1] }, generation: 1, rackId: null }])
  })
})

describe('A history that goes on from another one', () => {
  const start = { topics: [{ topic: 't', partitions: 7 }], consumers: ['a', 'b', 'c'].map(everyTopic) }
  const steps: Step[] = [[{ do: 'crash', id: 'b' }], [join('d')], [{ do: 'restart', id: 'b' }]]
  const facts = ({ turns }: ReturnType<typeof simulate>) =>
    [...turns].map(([strategy, list]) => [
      strategy,
      list.map(({ rounds, owners, moved, standstill }) => ({
        owners: [...owners],
        moved,
        standstill,
        generations: rounds.map(({ generation }) => generation),
      })),
    ])

  it.each<[string, Step[]]>([
    ['with another step', [...steps, [{ do: 'leave', id: 'c' }]]],
    ['with another last step', [...steps.slice(0, 2), [{ do: 'leave', id: 'a' }]]],
    ['cut short', steps.slice(0, 1)],
    ['unchanged', steps],
    ['from the start', []],
  ])('%s is the same as one that is played whole', (_what, next) => {
    const earlier = simulate({ start, steps }, all)
    const scenario = { start, steps: next }
    const continued = simulate(scenario, all, earlier)
    expect(facts(continued)).toEqual(facts(simulate(scenario, all)))
    // The turns before the first difference are not played again.
    expect(continued.turns.get('sticky')![0]).toBe(earlier.turns.get('sticky')![0])
  })

  it('with a given assignment, too', () => {
    const earlier = simulate({ start: trace.start, steps: [] }, all)
    expect(facts(simulate(trace, all, earlier))).toEqual(facts(simulate(trace, all)))
  })
})

describe('Names that objects treat in a special way', () => {
  it('are ordinary names', () => {
    const names = ['__proto__', 'constructor', '10', '2']
    const start = { topics: names.map(topic => ({ topic, partitions: 2 })), consumers: names.map(everyTopic) }
    for (const strategy of all) {
      const { owners } = play({ start, steps: [] }, strategy)[0]!
      expect([...owners].flatMap(([, list]) => list).filter(owner => owner !== null)).toHaveLength(8)
    }
  })
})

describe('Any history', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const topics = ['t', 'u', 'v']
  const topicArb = fc.record({
    topic: fc.constantFrom(...topics),
    partitions: fc.integer({ min: 1, max: 6 }),
    racks: fc.constantFrom(undefined, ['r1', 'r2'], ['r1', 'r2', 'r3']),
  })
  const subscriptionArb = fc.option(fc.subarray(topics), { nil: null })
  const consumerArb = fc.record({
    id: fc.constantFrom(...names),
    topics: subscriptionArb,
    rackId: fc.constantFrom(null, 'r1', 'r2'),
  })
  const idArb = fc.constantFrom(...names)
  const actionArb: fc.Arbitrary<Action> = fc.oneof(
    fc.record({ do: fc.constant('join' as const), consumer: consumerArb }),
    fc.record({ do: fc.constantFrom('leave' as const, 'crash' as const, 'restart' as const), id: idArb }),
    fc.record({ do: fc.constant('subscribe' as const), id: idArb, topics: subscriptionArb }),
    fc.record({ do: fc.constant('topic' as const), topic: topicArb }),
    fc.record({ do: fc.constant('delete' as const), topic: fc.constantFrom(...topics) }),
  )
  // Actions are drawn blindly; those that make no sense are left out, one by one, as an act in vain.
  const scenarioArb = fc
    .record({
      topics: fc.uniqueArray(topicArb, { selector: ({ topic }) => topic }),
      consumers: fc.uniqueArray(consumerArb, { selector: ({ id }) => id }),
      actions: fc.array(actionArb, { maxLength: 12 }),
    })
    .map(({ topics, consumers, actions }) => {
      const start = { topics, consumers }
      const sensible: Step[] = []
      for (const action of actions) {
        try {
          groupsOf({ start, steps: [...sensible, [action]] })
          sensible.push([action])
        } catch {}
      }
      return { start, steps: sensible }
    })

  it('leaves each partition that somebody subscribes with exactly one of its subscribers', () => {
    fc.assert(
      fc.property(scenarioArb, scenario => {
        const { groups, turns } = simulate(scenario, all)
        for (const [strategy, list] of turns) {
          // Kafka's own algorithm hands partitions to non-subscribers in corner cases, and is shown as it is.
          if (strategy === 'kafka-sticky') continue
          list.forEach(({ owners }, step) => {
            const group = groups[step]!
            for (const { topic, partitions } of group.topics) {
              const subscribers = running(group)
                .filter(m => subscription(group, m).includes(topic))
                .map(({ id }) => id)
              expect(owners.get(topic)).toHaveLength(partitions)
              for (const owner of owners.get(topic)!) {
                if (subscribers.length === 0) expect(owner).toBeNull()
                else expect(subscribers).toContain(owner)
              }
            }
          })
        }
      }),
      { numRuns: 100 },
    )
  })

  it('takes cooperative-sticky two rounds at most, and what it keeps is owned in each of them', () => {
    fc.assert(
      fc.property(scenarioArb, scenario => {
        for (const { rounds, before, owners, standstill, kept } of play(scenario, 'cooperative-sticky')) {
          expect(rounds.length).toBeLessThanOrEqual(2)
          let same = 0
          for (const [topic, list] of owners) {
            list.forEach((owner, partition) => {
              const stays = owner !== null && owner === before.get(topic)?.[partition]
              if (stays && rounds.every(round => round.owners.get(topic)![partition] === owner)) same++
            })
          }
          // A consumer that restarted under its name gets nothing kept, whatever it gets.
          expect(standstill.goOn).toBe(kept)
          expect(kept).toBeLessThanOrEqual(same)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('counts every partition that is assigned as kept or moved, in all rounds together', () => {
    fc.assert(
      fc.property(scenarioArb, scenario => {
        for (const [, turns] of simulate(scenario, all).turns) {
          for (const { owners, kept, moved, transferred, unclaimed } of turns) {
            const assigned = [...owners].flatMap(([, list]) => list).filter(owner => owner !== null)
            expect(kept + moved).toBe(assigned.length)
            expect(transferred + unclaimed).toBe(moved)
            expect(unclaimed).toBeGreaterThanOrEqual(0)
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})
