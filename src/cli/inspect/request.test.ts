import { describe, expect, test } from '@jest/globals'
import { planRequest } from '../../dry-run'
import { encodeStickyUserData, encodeSubscription } from '../../protocol'
import { currentRequest, joinedRequest, readMember } from './request'
import { liveGroup } from './testing/group'

const group = liveGroup(
  { orders: 4, gone: 0 },
  {
    a: { topics: ['orders', 'gone'], assigned: { orders: [0, 1] }, claimed: { orders: [0, 1, 2, 3] }, generation: 3 },
    b: { topics: ['orders'], assigned: { orders: [2, 3] }, rackId: 'r1' },
    garbage: { metadata: 'fffe' },
    // Topics are intact; the userData are JSON.
    foreign: { metadata: '0000 00000001 0006 6f7264657273 00000002 7b7d', assigned: {} },
  },
)

describe('what the next leader is told', () => {
  test('members claim what they have, of a generation above those that they told; who cannot be read claims nothing', () => {
    expect(currentRequest(group, 'sticky')).toEqual({
      strategy: 'sticky',
      topics: { orders: 4 },
      members: [
        { memberId: 'a', topics: ['gone', 'orders'], owned: { orders: [0, 1] }, generation: 4, rackId: null },
        { memberId: 'b', topics: ['orders'], owned: { orders: [2, 3] }, generation: 4, rackId: 'r1' },
        { memberId: 'foreign', topics: ['orders'], owned: {}, generation: null, rackId: null },
        { memberId: 'garbage', topics: [], owned: {}, generation: null, rackId: null },
      ],
    })
  })

  test('of a group whose members tell no generation there is none', () => {
    const simple = liveGroup({ t: 1 }, { a: { topics: ['t'], assigned: { t: [0] } } })
    expect(currentRequest(simple, 'range').members[0]).toMatchObject({ owned: { t: [0] }, generation: null })
  })

  test('a topic may be called __proto__', () => {
    const odd = liveGroup(JSON.parse('{"__proto__":1}'), {
      a: { topics: ['__proto__'], assigned: JSON.parse('{"__proto__":[0]}') },
    })
    const again = JSON.parse(JSON.stringify(currentRequest(odd, 'sticky')))
    expect(planRequest(again)).toMatchObject({ kept: 1, moved: 0 })
  })
})

test("what the last leader was told are the members' own bytes", () => {
  const { members } = joinedRequest(group, 'sticky')
  expect(members.map(({ memberId }) => memberId)).toEqual(['a', 'b', 'foreign', 'garbage'])
  expect(members[3]).toEqual({ memberId: 'garbage', metadata: '//4=' })
  // From a's four claims: b and foreign had none, and the plan moved two of them.
  expect(planRequest(joinedRequest(group, 'sticky'))).toMatchObject({ kept: 2, moved: 2, minimumMoves: 2 })
})

test.each([
  [
    { memberId: 'a', topics: ['t'], owned: { t: [2, 0, 'x', -1] }, released: [{ topic: 't', partitions: [1] }] },
    ['t'],
    [0, 1, 2],
  ],
  [{ memberId: 'a', topics: ['t'] }, ['t'], []],
  [
    {
      memberId: 'a',
      metadata: Buffer.from(
        encodeSubscription({ topics: ['t'], userData: encodeStickyUserData([{ topic: 't', partitions: [5] }], 1) }),
      ).toString('base64'),
    },
    ['t'],
    [5],
  ],
  [{ memberId: 'a', metadata: '' }, [], []],
])('a member of a request says what it subscribes and claims: %j', (member, topics, partitions) => {
  expect(readMember(member, 'sticky')).toEqual({
    topics,
    claims: partitions.length === 0 ? [] : [{ topic: 't', partitions }],
  })
})
