import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Owners } from '../../src/planner/reference/group'
import { hashOrder, javaHashCode, TopicPartitionHashSet } from '../../src/planner/reference/java-hash'
import type { PlanMember, TopicSpec } from '../../src/planner/types'
import { kafkaCooperativeSticky, kafkaSticky, numberGroup, range, roundRobin } from './references'

const ofTopics = (topics: Record<string, TopicSpec>, members: PlanMember[]) => numberGroup({ topics, members })
const shareOf = (owners: Owners, m: number) => [...owners.keys()].filter(p => owners[p] === m)

describe("Java's hash order", () => {
  test('hash codes are those of java.lang.String', () => {
    expect(javaHashCode('')).toBe(0)
    expect(javaHashCode('orders')).toBe(-1008770331)
    expect(javaHashCode('polygenelubricants')).toBe(-2147483648)
    expect(javaHashCode('🎈')).toBe(1773260)
  })

  test('keys of one bucket keep their order of insertion', () => {
    // "Aa" and "BB" are the classic pair of equal hash codes.
    expect(hashOrder(['BB', 'Aa'])).toEqual([0, 1])
    expect(hashOrder(['Aa', 'BB'])).toEqual([0, 1])
  })

  test('a set gives its partitions in the order of a fresh HashSet of the same insertions', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(5000), { minLength: 1, maxLength: 60 }), fc.string(), (partitions, topic) => {
        const set = new TopicPartitionHashSet(topic)
        for (const partition of partitions) set.add(partition)
        const mask = partitions.length > 48 ? 127 : partitions.length > 24 ? 63 : partitions.length > 12 ? 31 : 15
        const bucket = (partition: number) => {
          const hash = (Math.imul(31, 31 + partition) + javaHashCode(topic)) | 0
          return (hash ^ (hash >>> 16)) & mask
        }
        const order = [...partitions].sort((a, b) => bucket(a) - bucket(b))
        for (const expected of order) {
          expect(set.first()).toBe(expected)
          set.delete(expected)
        }
        expect(set.empty).toBe(true)
      }),
    )
  })
})

describe('range and roundrobin', () => {
  test('static members come first, by instance id, whatever member id they got', () => {
    const members: PlanMember[] = [
      { memberId: 'a', topics: ['t'] },
      { memberId: 'z', topics: ['t'], instanceId: 'i1' },
      { memberId: 'y', topics: ['t'], instanceId: 'i2' },
    ]
    for (const assignor of [range, roundRobin]) {
      const owners = assignor(ofTopics({ t: 3 }, members))
      expect([...owners].map(m => members[m]!.memberId)).toEqual(['z', 'y', 'a'])
    }
  })

  test('topics of one size stay aligned where racks matter, also beside topics of another size (KAFKA-14891)', () => {
    const racks = [['r1'], ['r2'], ['r1'], ['r2']]
    const owners = range(
      ofTopics({ a: racks, b: racks, c: [['r2'], ['r1']] }, [
        { memberId: 'm1', topics: ['a', 'b', 'c'], rackId: 'r1' },
        { memberId: 'm2', topics: ['a', 'b', 'c'], rackId: 'r2' },
      ]),
    )
    expect([...owners]).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 1, 0])
  })

  test('the ring of roundrobin goes on over topics and steps past members that do not subscribe', () => {
    const owners = roundRobin(
      ofTopics({ t0: 1, t1: 2, t2: 3 }, [
        { memberId: 'C0', topics: ['t0'] },
        { memberId: 'C1', topics: ['t0', 't1'] },
        { memberId: 'C2', topics: ['t0', 't1', 't2'] },
      ]),
    )
    expect([...owners]).toEqual([0, 1, 2, 2, 2, 2])
  })
})

describe("faults of Kafka's sticky assignor", () => {
  test('where Java throws on a claim beyond the topic, the claim is left out', () => {
    const owners = kafkaSticky(
      ofTopics({ t: 3 }, [
        { memberId: 'A', topics: ['t'], owned: { t: [0, 5] }, generation: 1 },
        { memberId: 'B', topics: ['t'], owned: { t: [1] }, generation: 1 },
      ]),
    )
    expect([...owners]).toEqual([0, 1, 0])
  })

  test('where Java fails because a previous owner takes no part, the partitions are balanced among the others', () => {
    const owners = kafkaSticky(
      ofTopics({ t: 4, u: 1 }, [
        { memberId: 'A', topics: ['u'], owned: { t: [0, 1] }, generation: 1 },
        { memberId: 'B', topics: ['t'], owned: { t: [0, 1, 2, 3] }, generation: 2 },
        { memberId: 'C', topics: ['t'], generation: 2 },
      ]),
    )
    expect([0, 1, 2].map(m => shareOf(owners, m).length)).toEqual([1, 2, 2])
  })

  test('a stale claim gives a partition to a member that does not subscribe its topic, as in Java', () => {
    const owners = kafkaSticky(
      ofTopics({ t1: 1, t2: 1 }, [
        { memberId: 'c0', topics: ['t1'], generation: 2 },
        { memberId: 'c1', topics: ['t1', 't2'], owned: { t1: [0], t2: [0] }, generation: 3 },
        { memberId: 'c2', topics: ['t2'], owned: { t1: [0] }, generation: 2 },
      ]),
    )
    expect(shareOf(owners, 2)).toContain(0)
  })

  test('an empty subscription that comes first counts as equal to any other, as in Java', () => {
    const owners = kafkaSticky(
      ofTopics({ t: 4 }, [
        { memberId: 'A', topics: [] },
        { memberId: 'B', topics: ['t'] },
      ]),
    )
    expect([...owners]).toEqual([0, 1, 0, 1])
  })
})

test('Kafka’s loads where the optimum is better balanced or moves less', () => {
  const loads = (topics: Record<string, number>, members: PlanMember[]) => {
    const owners = kafkaSticky(ofTopics(topics, members))
    return members.map((_, m) => shareOf(owners, m).length)
  }
  expect(
    loads({ t0: 2, t1: 1 }, [
      { memberId: 'A', topics: ['t0'], owned: { t0: [0, 1] }, generation: 1 },
      { memberId: 'B', topics: ['t0', 't1'], owned: { t1: [0] }, generation: 1 },
      { memberId: 'C', topics: ['t1'], generation: 1 },
    ]),
  ).toEqual([2, 1, 0])
  expect(
    loads({ t0: 4, t1: 2 }, [
      { memberId: 'A', topics: ['t1'], owned: { t1: [0] }, generation: 1 },
      { memberId: 'B', topics: ['t0'], owned: { t0: [0, 1, 2, 3] }, generation: 1 },
      { memberId: 'C', topics: ['t0', 't1'], owned: { t1: [1] }, generation: 1 },
    ]),
  ).toEqual([1, 3, 2])
})

const anyName = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '10')
const garbage = fc.oneof(
  fc.integer({ min: -2, max: 9 }),
  fc.double(),
  fc.constantFrom(null, '0', {}, [1]),
) as fc.Arbitrary<number>
const anyMember = fc.record({
  topics: fc.array(anyName, { maxLength: 6 }),
  owned: fc.array(fc.record({ topic: anyName, partitions: fc.array(garbage, { maxLength: 6 }) }), { maxLength: 4 }),
  generation: fc.constantFrom(null, -1, 0, 1, 2, 1.5, Number.NaN),
  rackId: fc.constantFrom(null, '', 'r1', 'r2', 'elsewhere'),
  instanceId: fc.constantFrom(null, 'i1', 'i2'),
})
const anySpec = fc.oneof(
  fc.nat(7),
  fc.array(fc.array(fc.constantFrom('r1', 'r2', '', null), { maxLength: 3 }), { maxLength: 7 }),
)

test('whatever the members claim, every partition of a subscribed topic has one owner or waits for one', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(anyName, anySpec), { selector: ([name]) => name }),
      fc.array(anyMember, { maxLength: 7 }),
      (topics, list) => {
        const members = list.map((member, i) => ({ memberId: `m${i}`, ...member }))
        const group = numberGroup({ topics: Object.fromEntries(topics), members })
        for (const assignor of [range, roundRobin, kafkaSticky]) {
          const owners = assignor(group)
          expect(owners).toHaveLength(group.start.at(-1)!)
          owners.forEach(m => {
            expect(group.members[m]).toBeDefined()
          })
        }
        const { owners, transferring } = kafkaCooperativeSticky(group)
        owners.forEach((m, p) => {
          expect(m >= 0).toBe(!transferring.has(p))
        })
      },
    ),
    { numRuns: 500 },
  )
})
