import { describe, expect, test } from '@jest/globals'
import { encodeSubscription } from '../../protocol'
import { applyChanges, type Changes, ImpossibleChange } from './changes'
import type { RequestJson } from './request'

const request: RequestJson = {
  strategy: 'sticky',
  topics: { orders: 4, audit: [['r1'], ['r2']] },
  members: [
    { memberId: 'a-1', topics: ['orders', 'audit'] },
    { memberId: 'a-2', topics: ['audit', 'orders', 'audit'] },
    { memberId: 'b\u001b', topics: ['orders'] },
    { memberId: 'c', metadata: Buffer.from(encodeSubscription({ topics: ['orders'] })).toString('base64') },
    { memberId: 'new-1', metadata: '' },
  ],
}
const none: Changes = { add: [], remove: [], partitions: new Map() }
const change = (changes: Partial<Changes>, to = request) => applyChanges(to, { ...none, ...changes })

describe('members that join', () => {
  test('subscribe what most do, of equals the first by name, and get ids that nobody has', () => {
    const { request: changed, newIds, words } = change({ add: [{ count: 2, topics: null }] })
    expect(newIds).toEqual(['new-2', 'new-3'])
    expect(changed.members.slice(5)).toEqual(newIds.map(memberId => ({ memberId, topics: ['audit', 'orders'] })))
    expect(words).toEqual(['2 members join and read audit, orders'])
  })

  test('or what they are told to, also a topic that appears with them', () => {
    const partitions = new Map([['fresh', 3]])
    const { request: changed, words } = change({ add: [{ count: 1, topics: ['fresh'] }], partitions })
    expect(changed.members.at(-1)).toEqual({ memberId: 'new-2', topics: ['fresh'] })
    expect(changed.topics.fresh).toBe(3)
    expect(words).toEqual(['topic fresh appears with 3 partitions', '1 member joins and reads fresh'])
  })

  test.each<[Partial<Changes>, RequestJson, string]>([
    [{ add: [{ count: 1, topics: ['gone'] }] }, request, 'a new member cannot read topic "gone", which does not exist'],
    [
      { add: [{ count: 1, topics: null }] },
      { ...request, members: [] },
      'no member subscribes a topic: say which ones',
    ],
  ])('cannot read what is not there: %j', (changes, to, message) => {
    expect(() => change(changes, to)).toThrow(ImpossibleChange)
    expect(() => change(changes, to)).toThrow(message)
  })
})

describe('a member that leaves', () => {
  test('is named by its id or the beginning of it', () => {
    const { request: changed, words } = change({ remove: ['a-1', 'b'] })
    expect(changed.members.map(({ memberId }) => memberId)).toEqual(['a-2', 'c', 'new-1'])
    expect(words).toEqual(['a-1 leaves', 'b\u001b leaves'])
    expect(request.members).toHaveLength(5)
  })

  test('by its whole id even if others begin so', () => {
    const members = [{ memberId: 'a' }, { memberId: 'a-1' }]
    expect(change({ remove: ['a'] }, { ...request, members }).request.members).toEqual([{ memberId: 'a-1' }])
  })

  test('or else the ids are listed, with nothing in them that steers a terminal', () => {
    expect(() => change({ remove: ['a'] })).toThrow('cannot remove "a": the ids of 2 members begin so\n  a-1\n  a-2')
    expect(() => change({ remove: ['x'] })).toThrow(
      /^cannot remove "x": no member has such an id\n {2}a-1\n {2}a-2\n {2}b\\u\{1b\}\n/,
    )
  })
})

describe('a topic', () => {
  test('grows; replicas of new partitions are nowhere yet', () => {
    const { request: changed, words } = change({
      partitions: new Map([
        ['orders', 6],
        ['audit', 3],
      ]),
    })
    expect(changed.topics).toEqual({ orders: 6, audit: [['r1'], ['r2'], []] })
    expect(words).toEqual(['topic orders grows from 4 to 6 partitions', 'topic audit grows from 2 to 3 partitions'])
  })

  test('is deleted', () => {
    const { request: changed, words } = change({ partitions: new Map([['orders', 0]]) })
    expect(Object.keys(changed.topics)).toEqual(['audit'])
    expect(words).toEqual(['topic orders is deleted'])
  })

  test('may have any name', () => {
    const { request: changed } = change({ partitions: new Map([['__proto__', 2]]) })
    expect(Object.entries(changed.topics)).toContainEqual(['__proto__', 2])
  })

  test('cannot shrink, and one that nobody reads cannot be deleted', () => {
    expect(() => change({ partitions: new Map([['orders', 3]]) })).toThrow(
      'topic "orders" has 4 partitions and cannot shrink to 3',
    )
    expect(() => change({ partitions: new Map([['x', 0]]) })).toThrow(
      'cannot delete topic "x", which the group does not read',
    )
  })
})
