import { describe, expect, it } from '@jest/globals'
import { groupsOf, type Scenario, type Step, topicSpec, withoutNonsense, withoutStrayClaims } from './scenario'

const start = {
  topics: [{ topic: 't', partitions: 3 }],
  consumers: [
    { id: 'a', topics: null },
    { id: 'b', topics: ['t'] },
  ],
}
const groupAfter = (...steps: Step[]) => groupsOf({ start, steps }).at(-1)!
const ids = (step: Step) => groupAfter(step).consumers.map(({ id, down }) => (down ? `${id} down` : id))

describe('A history', () => {
  it('gives the group after each step, and before any', () => {
    const groups = groupsOf({ start, steps: [[{ do: 'crash', id: 'a' }], [{ do: 'leave', id: 'b' }]] })
    expect(groups.map(({ consumers }) => consumers.length)).toEqual([2, 2, 1])
    expect(groups[0]).toEqual({ topics: start.topics, consumers: start.consumers.map(c => ({ ...c, down: false })) })
  })

  it('lets consumers come and go', () => {
    expect(ids([{ do: 'join', consumer: { id: 'c', topics: null } }])).toEqual(['a', 'b', 'c'])
    expect(ids([{ do: 'leave', id: 'a' }])).toEqual(['b'])
    expect(ids([{ do: 'crash', id: 'a' }])).toEqual(['a down', 'b'])
    expect(
      ids([
        { do: 'crash', id: 'a' },
        { do: 'restart', id: 'a' },
      ]),
    ).toEqual(['a', 'b'])
    expect(
      ids([
        { do: 'crash', id: 'a' },
        { do: 'leave', id: 'a' },
      ]),
    ).toEqual(['b'])
  })

  it('lets topics appear, grow and vanish, and subscriptions change', () => {
    const u = { topic: 'u', partitions: 1 }
    expect(groupAfter([{ do: 'topic', topic: u }]).topics).toEqual([...start.topics, u])
    expect(groupAfter([{ do: 'topic', topic: { topic: 't', partitions: 5 } }]).topics).toEqual([
      { topic: 't', partitions: 5 },
    ])
    expect(groupAfter([{ do: 'delete', topic: 't' }]).topics).toEqual([])
    expect(groupAfter([{ do: 'subscribe', id: 'a', topics: [] }]).consumers[0]).toMatchObject({ id: 'a', topics: [] })
  })

  it.each<[Step, string]>([
    [[{ do: 'crash', id: 'x' }], 'step 1 crashes "x", who is not in the group'],
    [[{ do: 'restart', id: 'a' }], 'step 1 restarts "a", who is running'],
    [
      [
        { do: 'crash', id: 'a' },
        { do: 'subscribe', id: 'a', topics: null },
      ],
      'step 1 resubscribes "a", who is down',
    ],
    [[{ do: 'join', consumer: { id: 'a', topics: null } }], 'step 1 adds "a", who is there already'],
    [[{ do: 'topic', topic: { topic: 't', partitions: 3 } }], 'step 1 grows "t", which has 3 partitions already'],
    [[{ do: 'delete', topic: 'u' }], 'step 1 deletes "u", which does not exist'],
  ])('says which step makes no sense: %j', (step, message) => {
    expect(() => groupsOf({ start, steps: [step] })).toThrow(new Error(message))
  })

  it('is cut down to what makes sense with another start', () => {
    const scenario: Scenario = {
      start: { topics: start.topics, consumers: [start.consumers[0]!] },
      steps: [
        [{ do: 'crash', id: 'b' }],
        [
          { do: 'crash', id: 'a' },
          { do: 'leave', id: 'b' },
        ],
        [{ do: 'restart', id: 'a' }],
      ],
    }
    expect(withoutNonsense(scenario).steps).toEqual([[{ do: 'crash', id: 'a' }], [{ do: 'restart', id: 'a' }]])
  })
})

describe('An assignment that is given', () => {
  it('is cut down to the consumers and partitions that are there', () => {
    const owned = { a: { t: [0, 3], u: [0] }, gone: { t: [1] } }
    expect(withoutStrayClaims({ ...start, owned }).owned).toEqual({ a: { t: [0] } })
    expect(withoutStrayClaims(start)).toEqual(start)
  })
})

describe('A topic with racks', () => {
  it('has its replicas in neighbouring racks, each at most once', () => {
    const topic = { topic: 't', partitions: 4, racks: ['r1', 'r2', 'r3'] }
    expect(topicSpec({ ...topic, replicas: 2 })).toEqual([
      ['r1', 'r2'],
      ['r2', 'r3'],
      ['r3', 'r1'],
      ['r1', 'r2'],
    ])
    expect(topicSpec(topic)).toEqual([['r1'], ['r2'], ['r3'], ['r1']])
    expect(topicSpec({ ...topic, partitions: 1, replicas: 9 })).toEqual([['r1', 'r2', 'r3']])
    expect(topicSpec({ topic: 't', partitions: 4 })).toBe(4)
  })
})
