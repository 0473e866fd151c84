/** The proof that comes with a plan: it holds for what was planned, and for nothing else. */
import { describe, expect, test } from '@jest/globals'
import { findFlaws as findFlawsOf, plan } from '.'
import { findFlaws } from './certificate'
import { readClaims } from './claims'
import type { Group } from './group'
import type { PartitionLists } from './lists'
import { readGroup } from './read-group'
import { runAtOnce, Steps } from './steps'
import { planSticky } from './sticky'
import type { PlanRequest } from './types'

/** t0 and t1 have two partitions each; A subscribes both, B only t0, C only t1. */
const mixed: PlanRequest = {
  strategy: 'sticky',
  topics: { t0: 2, t1: 4 },
  members: [
    { memberId: 'A', topics: ['t0', 't1'], owned: { t0: [0, 1], t1: [0, 1] }, generation: 1 },
    { memberId: 'B', topics: ['t0'] },
    { memberId: 'C', topics: ['t1'], owned: { t1: [2, 3] }, generation: 1 },
  ],
}

function solve(request: PlanRequest) {
  const steps = new Steps(Number.POSITIVE_INFINITY)
  const { group, entries } = runAtOnce(readGroup(request, steps))
  const ownership = runAtOnce(readClaims(request, group, entries, steps))
  return { group, ownership, proven: runAtOnce(planSticky(group, ownership, steps)) }
}

/** The same plan with one partition handed on. */
function handOn(group: Group, lists: PartitionLists, partition: number, to: number): PartitionLists {
  const owned = group.memberIds.map((_, m) => [...lists.ids.slice(lists.start[m]!, lists.start[m + 1]!)])
  const changed = owned.map((own, m) => {
    const rest = own.filter(p => p !== partition)
    return m === to ? [...rest, partition].sort((a, b) => a - b) : rest
  })
  const start = Int32Array.from([0, ...changed.map((_, m) => changed.slice(0, m + 1).flat().length)])
  return { ...lists, start, ids: Int32Array.from(changed.flat()) }
}

describe('the certificate', () => {
  test('holds for the plan it came with', () => {
    const { group, ownership, proven } = solve(mixed)
    expect(findFlaws(group, ownership.believed, undefined, proven)).toEqual([])
  })

  test('refuses a plan in which a partition changes hands', () => {
    const { group, ownership, proven } = solve(mixed)
    for (let partition = 0; partition < 6; partition++) {
      for (let m = 0; m < 3; m++) {
        const lists = handOn(group, proven.lists, partition, m)
        if (String(lists.ids) === String(proven.lists.ids)) continue
        expect([partition, m, findFlaws(group, ownership.believed, undefined, { ...proven, lists })]).not.toEqual([
          partition,
          m,
          [],
        ])
      }
    }
  })

  test('refuses a plan as balanced that moves more', () => {
    const { group, ownership, proven } = solve({
      strategy: 'sticky',
      topics: { t: 4 },
      members: ['A', 'B'].map((memberId, i) => ({
        memberId,
        topics: ['t'],
        owned: { t: [2 * i, 2 * i + 1] },
        generation: 1,
      })),
    })
    const swapped = handOn(group, handOn(group, proven.lists, 0, 1), 2, 0)
    expect(findFlaws(group, ownership.believed, undefined, proven)).toEqual([])
    expect(findFlaws(group, ownership.believed, undefined, { ...proven, lists: swapped })).not.toEqual([])
  })

  test.each([
    ['uniform', 200, 100, 1],
    ['mixed', 100, 200, 2],
  ])('holds at production size: %s', (_, members, partitions, modulus) => {
    const topics = Array.from({ length: 100 }, (_, t) => `topic-${t}`)
    const request: PlanRequest = {
      strategy: 'sticky',
      topics: Object.fromEntries(topics.map((name, t) => [name, partitions + (t % 7)])),
      members: Array.from({ length: members }, (_, m) => ({
        memberId: `member-${m}`,
        topics: topics.filter((_, t) => ((t * 7 + m * 3) % 5) % modulus === 0),
        owned: Object.fromEntries(topics.map((name, t) => [name, [(m * 31 + t) % partitions]])),
        generation: m % 3,
      })),
    }
    const answer = plan(request)
    expect(answer.report.partitions).toBeGreaterThan(10_000)
    expect(findFlawsOf(answer)).toEqual([])
  })
})
