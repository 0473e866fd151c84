import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Cluster } from '../internals'
import { LiveArrays } from './live-arrays'
import { keyOf } from './partition-key'
import { Placement } from './placement'
import { ReadReplicas } from './read-replicas'

const key = (partition: number) => keyOf('t', partition)

/** Partition p is led by node p % 2 + 1. */
const cluster = {
  findTopicPartitionMetadata: () =>
    Array.from({ length: 8 }, (_, partitionId) => ({ partitionId, leader: (partitionId % 2) + 1 })),
} as unknown as Cluster

let live: LiveArrays
let replicas: ReadReplicas
let missing: string[]

beforeEach(() => {
  live = new LiveArrays(() => {})
  replicas = new ReadReplicas(cluster)
  missing = []
})

const placement = (choice: 'auto' | 'surfaced' = 'auto') =>
  new Placement(choice, live, replicas, what => missing.push(what))

describe('in place', () => {
  test('kafkajs’ own arrays are changed, and nothing has to be joined', () => {
    const each = placement()
    const arrays = { t: [0, 1] }
    each.joined(arrays, ['t'], [key(0), key(1)])
    each.came(key(3))
    each.revoked(key(0))
    expect(arrays.t).toEqual([1, 3])
    expect(each.takeJoin()).toBe(false)
  })

  test('what came or went while kafkajs was joining is put right', () => {
    const each = placement()
    each.came(key(3))
    const arrays = { t: [0] }
    each.joined(arrays, ['t'], [key(1), key(3)])
    expect(arrays.t).toEqual([1, 3])
    expect(each.takeJoin()).toBe(false)
  })

  test('a partition that its broker is not asked for in two fetches ends it', () => {
    const each = placement()
    each.joined({ t: [] }, ['t'], [])
    each.came(key(0))
    for (let i = 0; i < 10; i++) each.fetching('2')
    each.fetching('1')
    each.fetching('1')
    expect(missing).toEqual([])
    each.fetching('1')
    expect(missing).toHaveLength(1)
    expect(each.current).toBe('surfaced')
    expect(each.takeJoin()).toBe(true)
  })

  test('is proven by a partition that kafkajs can only have from its arrays', () => {
    const each = placement()
    each.joined({ t: [0] }, ['t'], [key(0)])
    // It was given this one when it joined.
    each.revoked(key(0))
    each.came(key(0))
    each.requested(new Set([key(0)]))
    each.came(key(2))
    for (let i = 0; i < 3; i++) each.fetching('1')
    expect(missing).toHaveLength(1)
  })

  test('and once proven it is not doubted any more', () => {
    const each = placement()
    each.joined({ t: [0] }, ['t'], [key(0)])
    each.came(key(2))
    each.requested(new Set([key(0), key(2)]))
    each.came(key(4))
    for (let i = 0; i < 10; i++) each.fetching('1')
    expect(missing).toEqual([])
  })

  test('is not begun where GROUP_JOIN has no arrays', () => {
    const each = placement()
    each.joined({}, ['t'], [])
    expect(each.current).toBe('surfaced')
    expect(missing).toHaveLength(1)
  })
})

describe('surfaced', () => {
  test('one fetcher is made to join, once for all that came until then', () => {
    const each = placement('surfaced')
    each.joined({ t: [] }, ['t'], [])
    each.came(key(0))
    each.came(key(1))
    expect(each.takeJoin()).toBe(true)
    expect(each.takeJoin()).toBe(false)
    each.told()
    expect(each.takeJoin()).toBe(false)
    expect(missing).toEqual([])
  })

  test('what is revoked makes it join only after it has been given up: the last of it is still to be committed', () => {
    const each = placement('surfaced')
    each.revoked(key(0))
    expect(each.takeJoin()).toBe(false)
    each.left()
    expect(each.takeJoin()).toBe(true)
  })
})

describe('where a partition is read', () => {
  test('at its leader, and at the replica that the leader has named', () => {
    expect(replicas.anyOn('1', [key(0)])).toBe(true)
    expect(replicas.anyOn('2', [key(0)])).toBe(false)
    replicas.prefer(key(0), 2)
    expect(replicas.anyOn('2', [key(0)])).toBe(true)
    expect(replicas.anyOn('1', [key(0)])).toBe(true)
    expect(replicas.anyOn(null, [])).toBe(false)
    expect(replicas.knows(key(7))).toBe(true)
    expect(replicas.knows(key(8))).toBe(false)
  })
})
