import { describe, expect, test } from '@jest/globals'
import type { GroupPlanReport, RebalanceReport } from './rebalance-report'
import { StormWatch } from './storm-watch'

function report(fields: Partial<RebalanceReport> & { plan?: GroupPlanReport | null } = {}): RebalanceReport {
  return {
    groupId: 'g',
    memberId: 'm',
    generation: 1,
    strategy: 'sticky',
    protocol: 'eager',
    role: 'follower',
    reason: '',
    durationMs: 1,
    phasesMs: { join: 0, plan: 0, sync: 0, revoke: 0, assign: 0 },
    assigned: {},
    gained: {},
    gaveUp: {},
    lostMembership: false,
    plan: null,
    ...fields,
  }
}

const planned = (joined: string[], left: string[], unreadable: string[] = []) =>
  ({
    joined,
    left,
    unreadableMembers: unreadable.map(memberId => ({ memberId, reason: 'empty', topicsKnown: false })),
  }) as unknown as GroupPlanReport

describe('StormWatch', () => {
  test('is silent up to the limit, warns once above it, and again in the next window', () => {
    const watch = new StormWatch({ rebalances: 3, windowMs: 1000 })
    const storms = Array.from({ length: 10 }, (_, i) => watch.observe(report(), i * 100))
    expect(storms.map(storm => storm?.rebalances ?? 0)).toEqual([0, 0, 0, 4, 0, 0, 0, 0, 0, 0])
    expect(watch.observe(report(), 1300)?.rebalances).toBe(7)
  })

  test('forgets what is older than the window', () => {
    const watch = new StormWatch({ rebalances: 3, windowMs: 1000 })
    for (let i = 0; i < 20; i++) expect(watch.observe(report(), i * 400)).toBeNull()
  })

  test('names the partition that goes to and fro', () => {
    const watch = new StormWatch({ moves: 2 })
    watch.observe(report({ gained: { t: [1, 2] } }), 0)
    watch.observe(report({ gaveUp: { t: [2] } }), 1)
    expect(watch.observe(report({ gained: { t: [2] } }), 2)).toMatchObject({
      partition: 't-2',
      moves: 3,
      rebalances: 3,
    })
  })

  test.each([
    ['expelled', report({ lostMembership: true }), /expelled this member 3 times/],
    ['members that come and go', report({ plan: planned(['x', 'y'], ['z']) }), /6 joined, 3 left/],
    ['unreadable metadata', report({ plan: planned([], [], ['odd']) }), /metadata of odd cannot be read/],
    ['nothing known', report(), /not known to this member/],
  ])('tells the cause: %s', (_, seen, cause) => {
    const watch = new StormWatch({ rebalances: 2 })
    watch.observe(seen, 0)
    watch.observe(seen, 1)
    expect(watch.observe(seen, 2)?.cause).toMatch(cause)
  })
})
