import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fence, type Ownership } from './fence'
import { keyOf, type PartitionKey } from './partition-key'

const key = (partition: number): PartitionKey => keyOf('t', partition)
const keys = (...partitions: number[]) => new Set(partitions.map(key))
const numbers = (list: readonly (Ownership | PartitionKey)[]) =>
  list.map(each => Number.parseInt(typeof each === 'string' ? each : each.key, 10)).sort()

function fenceWith(...partitions: number[]): Fence {
  const fence = new Fence()
  activate(fence, fence.assign(keys(...partitions), 1).gained)
  return fence
}

function activate(fence: Fence, gained: readonly Ownership[]): void {
  for (const ownership of gained) ownership.announced = true
  for (const ownership of fence.ready) fence.activate(ownership)
}

describe('an assignment', () => {
  test('lets what is gained wait until the user has been told', () => {
    const fence = new Fence()
    const { gained } = fence.assign(keys(0, 1), 1)
    expect(numbers(gained)).toEqual([0, 1])
    expect(fence.mayFetch(key(0), '1')).toBe(false)
    expect(numbers(fence.owned)).toEqual([0, 1])
    activate(fence, gained)
    expect(fence.mayFetch(key(0), '1')).toBe(true)
  })

  test('keeps what is revoked among the owned until it is surrendered', () => {
    const fence = fenceWith(0, 1)
    const { revoked } = fence.assign(keys(1), 2)
    expect(numbers(revoked)).toEqual([0])
    expect(fence.mayFetch(key(0), '1')).toBe(false)
    expect(numbers(fence.owned)).toEqual([0, 1])
    expect(numbers(fence.assigned)).toEqual([1])
    fence.surrender(revoked[0]!)
    expect(numbers(fence.owned)).toEqual([1])
  })

  test('gives back what was not surrendered yet, as it was', () => {
    const fence = fenceWith(0)
    const before = fence.ownership(key(0))
    fence.assign(keys(), 2)
    const { gained, returned } = fence.assign(keys(0), 3)
    expect(gained).toEqual([])
    expect(returned).toEqual([before])
    expect(fence.mayFetch(key(0), '1')).toBe(true)
  })

  test('counts as gained what comes back after the user was told that it is gone', () => {
    const fence = fenceWith(0)
    const [revoked] = fence.assign(keys(), 2).revoked
    revoked!.revocationTold = true
    expect(numbers(fence.assign(keys(0), 3).gained)).toEqual([0])
    expect(fence.holds(revoked!)).toBe(false)
  })

  test('gives back what had not been announced as still waiting', () => {
    const fence = new Fence()
    fence.assign(keys(0), 1)
    fence.assign(keys(), 2)
    fence.assign(keys(0), 3)
    expect(fence.ownership(key(0))).toMatchObject({ phase: 'waiting', generation: 3 })
  })
})

describe('a running batch', () => {
  test('holds up the surrender of its partition, and of no other', () => {
    const fence = fenceWith(0, 1)
    const delivery = fence.deliver(fence.ownership(key(0))!, '1')
    fence.assign(keys(), 2)
    expect(numbers(fence.drained)).toEqual([1])
    fence.ended(delivery)
    expect(numbers(fence.drained)).toEqual([0, 1])
  })

  test('keeps other brokers from delivering its partition', () => {
    const fence = fenceWith(0)
    fence.deliver(fence.ownership(key(0))!, '1')
    expect(fence.mayFetch(key(0), '2')).toBe(false)
    fence.endedOn(node => node === '1')
    expect(fence.mayFetch(key(0), '2')).toBe(true)
  })

  test('of a lost ownership holds up the next one of the partition', () => {
    const fence = fenceWith(0)
    const delivery = fence.deliver(fence.ownership(key(0))!, '1')
    fence.lose()
    activate(fence, fence.assign(keys(0), 2).gained)
    expect(fence.mayFetch(key(0), '1')).toBe(false)
    fence.ended(delivery)
    activate(fence, [])
    expect(fence.mayFetch(key(0), '1')).toBe(true)
  })

  test('that has not begun can be withdrawn: the hand-over does not wait for its turn, a new ownership does', () => {
    const fence = fenceWith(0, 1)
    let emptied = 0
    for (const partition of [0, 1]) fence.deliver(fence.ownership(key(partition))!, '1').withdraw = () => emptied++
    fence.delivery(key(1))!.progressAt = Date.now()
    const { revoked } = fence.assign(keys(), 2)
    for (const each of revoked) fence.withdraw(each.key)
    expect(emptied).toBe(1)
    expect(numbers(fence.drained)).toEqual([0])
    // kafkajs resolves the withdrawn batch when its turn comes.
    fence.assign(keys(0), 3)
    fence.forgetPositions()
    expect(fence.ownership(key(0))).toMatchObject({ phase: 'active', positionTrusted: false })
    expect(fence.mayFetch(key(0), '2')).toBe(false)
  })

  test('that has ended does not end its successor', () => {
    const fence = fenceWith(0)
    const first = fence.deliver(fence.ownership(key(0))!, '1')
    fence.deliver(fence.ownership(key(0))!, '1')
    fence.ended(first)
    expect(fence.hasDeliveries).toBe(true)
  })
})

test('a handler is stuck when it has begun and gets no further; a batch that waits for a worker is not', () => {
  const fence = fenceWith(0)
  const delivery = fence.deliver(fence.ownership(key(0))!, '1')
  expect(fence.isStuck(1000)).toBe(false)
  delivery.progressAt = Date.now() - 2000
  expect(fence.isStuck(1000)).toBe(true)
  expect(fence.isStuck(3000)).toBe(false)
  fence.ended(delivery)
  expect(fence.isStuck(1000)).toBe(false)
})

describe('a position', () => {
  test('is trusted where kafkajs cannot remember one of an earlier ownership', () => {
    const fence = fenceWith(0)
    expect(fence.ownership(key(0))?.positionTrusted).toBe(true)
    fence.surrender(fence.assign(keys(), 2).revoked[0]!)
    activate(fence, fence.assign(keys(0), 3).gained)
    expect(fence.ownership(key(0))?.positionTrusted).toBe(false)
    fence.forgetPositions()
    expect(fence.ownership(key(0))?.positionTrusted).toBe(true)
  })

  test('is not trusted if a batch of before a new OffsetManager still writes its own', () => {
    const fence = fenceWith(0)
    const delivery = fence.deliver(fence.ownership(key(0))!, '1')
    fence.lose()
    fence.forgetPositions()
    fence.ended(delivery)
    activate(fence, fence.assign(keys(0), 2).gained)
    expect(fence.ownership(key(0))?.positionTrusted).toBe(false)
  })
})

test('whatever happens, what runs is owned or fenced off, and is never surrendered', () => {
  const steps = fc.oneof(
    fc.record({ do: fc.constant('assign' as const), partitions: fc.uniqueArray(fc.nat(3)) }),
    fc.record({
      do: fc.constantFrom('deliver', 'end', 'surrender', 'lose', 'announce', 'forget'),
      partition: fc.nat(3),
    }),
  )
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40 }), sequence => {
      const fence = new Fence()
      const running = new Map<PartitionKey, Ownership>()
      let generation = 0
      for (const step of sequence) {
        if (step.do === 'assign') {
          const next = keys(...(step as { partitions: number[] }).partitions)
          const before = new Set(fence.owned)
          fence.assign(next, ++generation)
          // Nothing that was owned is let go by an assignment.
          for (const owned of before) expect(fence.owned).toContain(owned)
          expect(new Set(fence.assigned)).toEqual(next)
        } else {
          const at = key((step as { partition: number }).partition)
          if (step.do === 'deliver' && fence.mayFetch(at, '1') && !running.has(at)) {
            running.set(at, fence.ownership(at)!)
            fence.deliver(fence.ownership(at)!, '1')
          } else if (step.do === 'end' && running.delete(at)) fence.ended(fence.delivery(at)!)
          else if (step.do === 'surrender') for (const each of fence.drained) fence.surrender(each)
          else if (step.do === 'lose') fence.lose()
          else if (step.do === 'forget') fence.forgetPositions()
          else if (step.do === 'announce')
            activate(
              fence,
              [...fence.assigned].map(each => fence.ownership(each)!),
            )
        }
        for (const [at, ownership] of running) {
          expect(fence.drained.map(each => each.key)).not.toContain(at)
          // A second batch of the partition cannot begin: not for the same ownership elsewhere, not for a newer one.
          expect(fence.mayFetch(at, '2')).toBe(false)
          if (!fence.holds(ownership)) expect(fence.mayFetch(at, '1')).toBe(false)
        }
      }
    }),
  )
})
