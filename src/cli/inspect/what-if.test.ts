import { describe, expect, test } from '@jest/globals'
import type { Changes } from './changes'
import { currentRequest, type RequestJson } from './request'
import { liveGroup } from './testing/group'
import { whatIf } from './what-if'

const none: Changes = { add: [], remove: [], partitions: new Map() }
const group = liveGroup(
  { t: 6 },
  {
    a: { topics: ['t'], assigned: { t: [0, 1, 2] } },
    b: { topics: ['t'], assigned: { t: [3, 4, 5] } },
  },
)
const ask = (changes: Partial<Changes>, request: RequestJson = currentRequest(group, 'sticky')) =>
  whatIf(request, { ...none, ...changes })

test('nothing changes: nothing moves', () => {
  const { changes, answer, members, newIdsMatter } = ask({})
  expect({ changes, moved: answer.moved, newIdsMatter }).toEqual({ changes: [], moved: 0, newIdsMatter: false })
  expect(members[0]).toEqual({
    memberId: 'a',
    isNew: false,
    before: { t: [0, 1, 2] },
    after: { t: [0, 1, 2] },
    gains: {},
    givesUp: {},
  })
})

test('a member joins: each of the others gives up one, whatever the id of the new one', () => {
  const { answer, members, newIdsMatter } = ask({ add: [{ count: 1, topics: null }] })
  expect(answer).toMatchObject({ moved: 2, kept: 4, minimumMoves: 2 })
  expect(members.map(({ memberId, givesUp, gains, isNew }) => ({ memberId, givesUp, gains, isNew }))).toEqual([
    { memberId: 'a', givesUp: { t: [2] }, gains: {}, isNew: false },
    { memberId: 'b', givesUp: { t: [5] }, gains: {}, isNew: false },
    { memberId: 'new-1', givesUp: {}, gains: { t: [2, 5] }, isNew: true },
  ])
  expect(newIdsMatter).toBe(false)
})

test('round robin deals by id: what the others keep depends on where the new one comes', () => {
  const roundRobin = currentRequest(group, 'roundrobin')
  expect(ask({ add: [{ count: 1, topics: null }] }, roundRobin).newIdsMatter).toBe(true)
  expect(ask({ remove: ['a'] }, roundRobin).newIdsMatter).toBe(false)
})

test('a member that has nothing yet is beside the new one: who of the two gets what depends on their ids', () => {
  const idle = liveGroup(
    { t: 2 },
    {
      a: { topics: ['t'], assigned: { t: [0] } },
      b: { topics: ['t'], assigned: { t: [1] } },
      m: { topics: ['t'], assigned: {} },
    },
  )
  const grown = { add: [{ count: 1, topics: null }], partitions: new Map([['t', 3]]) }
  expect(ask(grown, currentRequest(idle, 'sticky'))).toMatchObject({ newIdsMatter: false, newIdsDecideGains: true })
  expect(ask({ add: grown.add })).toMatchObject({ newIdsMatter: false, newIdsDecideGains: false })
})

test('only the place between two members matters: it is tried too', () => {
  const three = liveGroup(
    { t: 4 },
    {
      a: { topics: ['t'], assigned: { t: [0] } },
      b: { topics: ['t'], assigned: { t: [1] } },
      c: { topics: ['t'], assigned: { t: [2, 3] } },
    },
  )
  // Dealt in turn, what a, b and c get is the same only for an id behind all of theirs.
  expect(ask({ add: [{ count: 1, topics: null }] }, currentRequest(three, 'roundrobin')).newIdsMatter).toBe(true)
})

test('in a cooperative group what is withheld counts for the member that waits for it', () => {
  const { answer, members } = ask({ add: [{ count: 1, topics: null }] }, currentRequest(group, 'cooperative-sticky'))
  expect(answer).toMatchObject({ moved: 0, kept: 4, withheld: { 'new-1': { t: [2, 5] } }, minimumMoves: 2 })
  expect(members[2]).toMatchObject({ after: { t: [2, 5] }, gains: { t: [2, 5] } })
})

test('a topic grows and a member leaves', () => {
  const { answer, members } = ask({ remove: ['b'], partitions: new Map([['t', 8]]) })
  expect(members).toHaveLength(1)
  expect(members[0]!.after).toEqual({ t: [0, 1, 2, 3, 4, 5, 6, 7] })
  expect(answer).toMatchObject({ kept: 3, moved: 5, unclaimed: 5 })
})

describe('a member whose claims cannot be read', () => {
  test('is planned as owning nothing, as the leader does', () => {
    const odd = liveGroup(
      { orders: 4 },
      {
        a: { topics: ['orders'], assigned: { orders: [0, 1] } },
        odd: { metadata: '0000 00000001 0006 6f7264657273 00000002 7b7d', assigned: { orders: [2, 3] } },
      },
    )
    const { answer } = ask({}, currentRequest(odd, 'sticky'))
    expect(answer).toMatchObject({ kept: 2, moved: 2, unclaimed: 2 })
  })
})
