import { describe, expect, it } from '@jest/globals'
import type { Strategy } from '../../src/planner/types'
import { type Owners, running, simulate } from '../../src/scenario/simulate'
import table from '../../test/cases/kafka-4.3.1-share-sets.json'
import { limits, tooLarge } from './address'
import { countsOf, idleOf, sumOf } from './figures'
import { presetOf, presets } from './presets'

const all: Strategy[] = ['range', 'roundrobin', 'kafka-sticky', 'sticky', 'cooperative-sticky']
const played = (key: string) => {
  const { groups, turns } = simulate(presetOf(key)!, all)
  return { group: groups.at(-1)!, turns, last: (strategy: Strategy) => turns.get(strategy)!.at(-1)! }
}
const sharesOf = (ids: string[], owners: Owners) =>
  ids.map(id =>
    Object.fromEntries(
      [...owners].flatMap(([topic, list]) => {
        const partitions = list.flatMap((owner, partition) => (owner === id ? [partition] : []))
        return partitions.length > 0 ? [[topic, partitions]] : []
      }),
    ),
  )
const sorted = (shares: object[]) => shares.map(share => JSON.stringify(share)).sort()
const sizes = (shares: object[]) => shares.map(share => Object.values(share).flat().length).sort()

/** The preset for a row of the table: the one that ends with these topics and as many consumers. */
const presetFor = (topics: Record<string, number | undefined>, consumers: number) =>
  presets.find(({ key, start, steps }) => {
    if (!key.startsWith('shares-')) return false
    const joined = steps.flat().filter(action => action.do === 'join').length
    return (
      start.consumers.length + joined === consumers &&
      start.topics.length === Object.keys(topics).length &&
      start.topics.every(({ topic, partitions }) => topics[topic] === partitions)
    )
  })

describe('Presets of the measured table', () => {
  it.each(table.scenarios.map(row => [row.strategy, JSON.stringify(row.topics), row.consumers, row] as const))(
    '%s, %s, %d consumers: the measured set of shares',
    (_strategy, _topics, consumers, row) => {
      const preset = presetFor(row.topics, consumers)
      expect(preset).toBeDefined()
      const { group, last } = played(preset!.key)
      const ids = running(group).map(({ id }) => id)
      // Kafka's sticky and cooperative-sticky share an algorithm.
      const strategy = row.strategy.endsWith('sticky') ? 'kafka-sticky' : (row.strategy as Strategy)
      expect(sorted(sharesOf(ids, last(strategy).owners))).toEqual(sorted(row.shares))
    },
  )

  it.each(table.scenarios.filter(row => row.strategy === 'sticky').map(row => [row.consumers, row] as const))(
    'sticky, %d consumers: shares of the measured sizes, with no more moves than needed',
    (consumers, row) => {
      const { group, turns, last } = played(presetFor(row.topics, consumers)!.key)
      const ids = running(group).map(({ id }) => id)
      for (const strategy of ['sticky', 'cooperative-sticky'] as const) {
        expect(sizes(sharesOf(ids, last(strategy).owners))).toEqual(sizes(row.shares))
        for (const turn of turns.get(strategy)!) expect(turn.moved).toBe(turn.minimum)
      }
    },
  )

  it('leaves seven of ten idle with range', () => {
    const { group, last } = played('shares-10')
    expect(idleOf(group, last('range').owners)).toHaveLength(7)
    expect(idleOf(group, last('sticky').owners)).toHaveLength(1)
  })
})

describe('Presets', () => {
  it('have keys of their own, and each fits the page and opens at a step that it has', () => {
    expect(new Set(presets.map(({ key }) => key)).size).toBe(presets.length)
    for (const preset of presets) {
      expect(tooLarge(preset)).toBeUndefined()
      expect(preset.at ?? 0).toBeLessThanOrEqual(preset.steps.length)
      expect(preset.steps.length).toBeLessThan(limits.steps)
    }
  })

  it('worked-trace ends as the rules say', () => {
    const { last } = played('worked-trace')
    const shares = [{}, { t: [3, 4, 5] }, { t: [2, 7, 8] }, { t: [0, 1, 6] }]
    expect(sharesOf(['W', 'X', 'Y', 'Z'], last('sticky').owners)).toEqual(shares)
    expect(last('sticky').moved).toBe(4)
  })

  it('there-and-back ends at 4/4/4, four moved on the return', () => {
    const { group, last, turns } = played('there-and-back')
    for (const strategy of ['sticky', 'cooperative-sticky', 'kafka-sticky'] as const) {
      expect([...countsOf(group, last(strategy).owners).values()]).toEqual([4, 4, 4])
      expect(turns.get(strategy)!.map(({ moved }) => moved)).toEqual([12, 4, 4])
    }
  })

  it('one-crashes: sticky moves the orphans and nothing else, roundrobin more', () => {
    const { turns } = played('one-crashes')
    const crash = (strategy: Strategy) => turns.get(strategy)![1]!
    expect(crash('sticky')).toMatchObject({ moved: 4, transferred: 0, unclaimed: 4 })
    expect(crash('cooperative-sticky').standstill).toMatchObject({ goOn: 8, handedOver: 0 })
    expect(crash('roundrobin').transferred).toBeGreaterThan(0)
  })

  it('fleet: sticky moves what is needed, range and roundrobin more', () => {
    const { turns } = played('fleet')
    const moved = (strategy: Strategy) => sumOf(turns.get(strategy)!, 2)
    expect(moved('sticky')).toEqual({ moved: 54, minimum: 54 })
    expect(moved('cooperative-sticky')).toEqual({ moved: 54, minimum: 54 })
    expect(moved('range').moved).toBeGreaterThan(54)
    expect(moved('roundrobin').moved).toBeGreaterThan(54)
  })

  it('own-topics: roundrobin ends the first rebalance at 3/3/0/2, sticky at 2/2/2/2', () => {
    const { groups, turns } = simulate(presetOf('own-topics')!, all)
    const counts = (strategy: Strategy) => [...countsOf(groups[0]!, turns.get(strategy)![0]!.owners).values()]
    expect(counts('roundrobin').sort()).toEqual([0, 2, 3, 3])
    expect(counts('sticky')).toEqual([2, 2, 2, 2])
  })
})
