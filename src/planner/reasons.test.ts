/** Why a partition moves: said by who ultimately had too many and who too few, also where others pass partitions on. */
import { describe, expect, test } from '@jest/globals'
import { plan } from '.'
import { group, nextRequest } from './testing/notation'
import type { PlanRequest } from './types'

const reasons = (request: PlanRequest) => plan(request).reasons()

describe('reasons', () => {
  test('nothing moves: no reasons', () => {
    expect(reasons(group({ t: 2 }, { a: { owned: { t: [0] } }, b: { owned: { t: [1] } } }))).toEqual([])
  })

  test('a member with too many gives some away', () => {
    const ids = Array.from({ length: 9 }, (_, i) => i)
    const grown = group({ orders: 10 }, { 'api-2': { owned: { orders: ids } }, 'api-5': {} })
    expect(reasons(grown)).toEqual([
      'orders-5: api-2 → api-5, api-2 owned 9, target 5',
      'orders-6: api-2 → api-5, api-2 owned 9, target 5',
      'orders-7: api-2 → api-5, api-2 owned 9, target 5',
      'orders-8: api-2 → api-5, api-2 owned 9, target 5',
      'orders-9: → api-5, nobody owned it',
    ])
  })

  test('a member that passes on names the chain, who had too many and who too few', () => {
    const request = group(
      { orders: 3, audit: 1 },
      {
        'api-1': { topics: ['orders'], owned: { orders: [0, 1, 2] } },
        'api-2': { owned: { audit: [0] } },
        'api-5': { topics: ['audit'] },
      },
    )
    const chain = 'chain api-1 (orders-2) → api-2 (audit-0) → api-5; api-1 owned 3, target 2; api-5 owned 0, target 1'
    expect(reasons(request)).toEqual([`orders-2: api-1 → api-2, ${chain}`, `audit-0: api-2 → api-5, ${chain}`])
    // The same lines while the group waits for the partitions to be given up.
    expect(reasons({ ...request, strategy: 'cooperative-sticky' })).toEqual(reasons(request))
  })

  test('a chain that begins with a partition that nobody owned', () => {
    const request = group({ t: 1, u: 1 }, { a: { owned: { u: [0] } }, b: { topics: ['u'] } })
    const chain = 'chain (t-0) → a (u-0) → b; nobody owned t-0; b owned 0, target 1'
    expect(reasons(request)).toEqual([`t-0: → a, nobody owned it, ${chain}`, `u-0: a → b, ${chain}`])
  })

  test('a chain too long to read is shown by its ends', () => {
    const links = 9
    const topics = Object.fromEntries(Array.from({ length: links }, (_, i) => [`t${i}`, i === 0 ? 2 : 1]))
    const members = Object.fromEntries(
      Array.from({ length: links + 1 }, (_, i) => {
        const own = i === 0 ? { t0: [0, 1] } : i < links ? { [`t${i}`]: [0] } : {}
        const subscribed = [`t${i - 1}`, `t${i}`].filter(topic => topic in topics)
        return [`m${i}`, { topics: subscribed, owned: own }]
      }),
    )
    const lines = reasons(group(topics, members))
    expect(lines).toHaveLength(links)
    for (const line of lines) {
      expect(line).toContain(
        'chain m0 (t0-1) → m1 (t1-0) → m2 … 5 more … (t7-0) → m8 (t8-0) → m9; m0 owned 2, target 1; m9 owned 0, target 1',
      )
    }
  })

  test('racks make members exchange partitions', () => {
    const topics = { t: [['east'], ['west']] }
    const members = {
      a: { rackId: 'west', owned: { t: [0] } },
      b: { rackId: 'east', owned: { t: [1] } },
    }
    expect(reasons(group(topics, members))).toEqual([
      't-1: b → a, exchanged: b (t-1) → a (t-0) → b, no replica in the rack of b',
      't-0: a → b, exchanged: a (t-0) → b (t-1) → a, no replica in the rack of a',
    ])
  })

  test('every line of a random-looking group ends where a member is short, or a partition was free', () => {
    const topics = { a: 7, b: 5, c: 6 }
    const first = group(topics, { m1: { topics: ['a', 'b'] }, m2: { topics: ['b', 'c'] }, m3: { topics: ['a', 'c'] } })
    const grown = nextRequest(first, plan(first))
    const request = { ...grown, members: [...grown.members, { memberId: 'm4', topics: ['b'] }] }
    const answer = plan(request)
    const lines = answer.reasons()
    expect(lines).toHaveLength(answer.report.moved)
    for (const line of lines) expect(line).toMatch(/m4 owned 0, target 4$|owned [67], target [45]$/)
  })
})
