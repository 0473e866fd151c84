import { describe, expect, it } from '@jest/globals'
import { between, changesNothing, isSettled, type Look, scenarioOf } from './look'
import { groupsOf } from './scenario'

const look = (assigned: Record<string, Record<string, number[]>>, more: Partial<Look> = {}): Look => ({
  at: 0,
  groupId: 'g',
  state: 'Stable',
  protocol: 'sticky',
  topics: { t: 4, u: 2 },
  members: Object.entries(assigned).map(([memberId, assigned]) => ({
    memberId,
    clientId: memberId,
    host: '/127.0.0.1',
    topics: ['t', 'u'],
    rackId: null,
    assigned,
    generation: 3,
    lag: 0,
  })),
  notes: [],
  ...more,
})

describe('Between two looks', () => {
  const before = look({ a: { t: [0, 1] }, b: { t: [2, 3], u: [0] } })

  it('nothing changes when nothing does', () => {
    const change = between(before, look({ a: { t: [0, 1] }, b: { t: [2, 3], u: [0] } }, { at: 1 }))
    expect(change).toEqual({ joined: [], left: [], kept: 5, moved: [], transferred: 0, dropped: 0 })
    expect(changesNothing(change)).toBe(true)
  })

  it('members come and go, and their partitions move', () => {
    const change = between(before, look({ a: { t: [0] }, c: { t: [1, 2, 3], u: [1] } }))
    expect(change).toEqual({
      joined: ['c'],
      left: ['b'],
      kept: 1,
      moved: [
        { topic: 't', partition: 1, from: 'a', to: 'c' },
        { topic: 't', partition: 2, from: 'b', to: 'c' },
        { topic: 't', partition: 3, from: 'b', to: 'c' },
        { topic: 'u', partition: 1, from: null, to: 'c' },
      ],
      transferred: 1,
      dropped: 1,
    })
    expect(changesNothing(change)).toBe(false)
  })

  it('a group that rebalances tells nothing', () => {
    expect(
      ['Stable', 'Empty', 'PreparingRebalance', 'CompletingRebalance'].map(state => isSettled(look({}, { state }))),
    ).toEqual([true, true, false, false])
  })
})

describe('A look as the start of a scenario', () => {
  it('has the members with what they own, and the topics that somebody reads', () => {
    const seen = look({ a: { t: [0, 1], gone: [0] }, b: { t: [2] } }, { topics: { t: 4, u: 2, gone: 0, other: 7 } })
    const members = seen.members.map(member =>
      member.memberId === 'b' ? { ...member, topics: ['t'], rackId: 'r' } : member,
    )
    const scenario = scenarioOf({ ...seen, members })
    expect(scenario).toEqual({
      start: {
        topics: [
          { topic: 't', partitions: 4 },
          { topic: 'u', partitions: 2 },
        ],
        consumers: [
          { id: 'a', topics: null },
          { id: 'b', topics: ['t'], rackId: 'r' },
        ],
        owned: { a: { t: [0, 1] }, b: { t: [2] } },
      },
      steps: [],
    })
    expect(() => groupsOf(scenario)).not.toThrow()
  })
})
