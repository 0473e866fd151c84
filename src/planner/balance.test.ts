/** The best balance where partitions have to be shifted along chains, and what its levels say. */
import { describe, expect, test } from '@jest/globals'
import { balanceFreely } from './balance'
import { cellStarts, indexCells } from './cells'
import { findLevels } from './levels'
import { readGroup } from './read-group'
import { atOnce } from './steps'
import { group } from './testing/notation'

/** Loads and levels by member id of members with these topics. */
function balance(topics: Record<string, number>, subscriptions: Record<string, string>) {
  const request = group(
    topics,
    Object.fromEntries(Object.entries(subscriptions).map(([id, names]) => [id, { topics: names.split(' ') }])),
  )
  return atOnce(function* (steps) {
    const { group: numbered } = yield* readGroup(request, steps)
    const cells = yield* indexCells(numbered, cellStarts(numbered), steps)
    const { counts, load } = yield* balanceFreely(numbered, cells, steps)
    const perTopic = new Int32Array(numbered.topics.length)
    for (let e = 0; e < counts.length; e++) {
      expect(counts[e]).toBeGreaterThanOrEqual(0)
      perTopic[cells.topic[e]!]! += counts[e]!
    }
    expect([...perTopic]).toEqual(Object.values(topics))
    const level = yield* findLevels(numbered.topics.length, cells, counts, load, steps)
    const byMember = (of: (m: number) => number) => Object.fromEntries(numbered.memberIds.map((id, m) => [id, of(m)]))
    return { loads: byMember(m => load[m]!), levels: byMember(m => level[numbered.topics.length + m]!) }
  })
}

describe('balance', () => {
  test('a chain over two members: the last gives to the first through the one between', () => {
    const { loads } = balance({ t0: 3, t1: 2, t2: 2 }, { a: 't0', b: 't0 t1', c: 't1 t2', d: 't2' })
    expect(loads).toEqual({ a: 2, b: 2, c: 2, d: 1 })
  })

  test('a chain carries no more than its narrowest link', () => {
    // b and c share one partition only; what d has too many comes through it once.
    const { loads } = balance({ t0: 1, t1: 1, t2: 9 }, { a: 't0', b: 't0 t1', c: 't1 t2', d: 't2' })
    expect(loads).toMatchObject({ a: 1, b: 1 })
    expect([loads.c, loads.d].sort()).toEqual([4, 5])
  })

  test('what cannot be mended stays, and does not keep the others from being mended', () => {
    // z has nothing in common with anybody and far too much.
    const { loads, levels } = balance({ t0: 4, t1: 2, u: 30 }, { a: 't1', b: 't0', c: 't0 t1', z: 'u' })
    expect(loads).toEqual({ a: 2, b: 2, c: 2, z: 30 })
    expect(levels).toEqual({ a: 2, b: 2, c: 2, z: 30 })
  })

  test('a donor far above the receivers gives to all of them', () => {
    const { loads } = balance({ t: 20, u: 1 }, { a: 't', b: 't u', c: 'u t', d: 't', e: 'u' })
    expect(Object.values(loads).sort()).toEqual([1, 5, 5, 5, 5])
  })

  test('a member of two topics has the level of the one that it takes from', () => {
    const { loads, levels } = balance({ high: 10, low: 2 }, { h1: 'high', h2: 'high', both: 'high low', l: 'low' })
    expect([loads.h1, loads.h2, loads.both].sort()).toEqual([3, 3, 4])
    expect(levels).toEqual({ h1: 4, h2: 4, both: 4, l: 2 })
  })

  test('members without topics have no level', () => {
    expect(balance({ t: 2 }, { a: 't', idle: 'gone' })).toEqual({ loads: { a: 2, idle: 0 }, levels: { a: 2, idle: 0 } })
  })
})
