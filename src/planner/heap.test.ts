import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { NodeHeap } from './heap'

const heapOf = (...keys: number[]) => {
  const key = Float64Array.from(keys)
  return { key, heap: new NodeHeap(keys.length, key) }
}

function drain(heap: NodeHeap): number[] {
  const nodes: number[] = []
  while (!heap.isEmpty) nodes.push(heap.pop())
  return nodes
}

describe('NodeHeap', () => {
  test('gives nodes by ascending key', () => {
    const { heap } = heapOf(5, 1, 4, 2, 3)
    for (const node of [0, 1, 2, 3, 4]) heap.raise(node)
    expect(heap.top).toBe(1)
    expect(drain(heap)).toEqual([1, 3, 4, 2, 0])
  })

  test('a node whose key sank moves up and stays in once', () => {
    const { heap, key } = heapOf(5, 1, 4)
    for (const node of [0, 1, 2]) heap.raise(node)
    key[0] = 0
    heap.raise(0)
    expect(drain(heap)).toEqual([0, 1, 2])
  })

  test('what was popped is out, the last node too, and may come in again', () => {
    const { heap, key } = heapOf(1, 2)
    heap.raise(0)
    expect(heap.pop()).toBe(0)
    expect(heap.has(0)).toBe(false)
    expect(heap.isEmpty).toBe(true)
    key[0] = 3
    heap.raise(0)
    heap.raise(1)
    expect([heap.has(0), heap.has(1)]).toEqual([true, true])
    expect(drain(heap)).toEqual([1, 0])
  })

  test('a cleared heap has forgotten where nodes were', () => {
    const { heap } = heapOf(3, 2, 1)
    for (const node of [0, 1, 2]) heap.raise(node)
    heap.clear()
    expect([0, 1, 2].map(node => heap.has(node))).toEqual([false, false, false])
    heap.raise(0)
    expect(drain(heap)).toEqual([0])
  })

  test('does what a sorted list does, whatever comes in between', () => {
    const action = fc.record({
      do: fc.constantFrom('put', 'put', 'put', 'sink', 'pop', 'clear'),
      node: fc.nat(15),
      by: fc.nat(9),
    })
    fc.assert(
      fc.property(
        fc.array(fc.nat(20), { minLength: 16, maxLength: 16 }),
        fc.array(action, { maxLength: 60 }),
        (keys, actions) => {
          const { heap, key } = heapOf(...keys)
          const inside = new Set<number>()
          for (const { do: what, node, by } of actions) {
            if (what === 'put' && !inside.has(node)) {
              heap.raise(node)
              inside.add(node)
            } else if (what === 'sink') {
              key[node]! -= by
              // A key may only change where the heap hears of it.
              heap.raise(node)
              inside.add(node)
            } else if (what === 'pop' && inside.size > 0) {
              const least = Math.min(...[...inside].map(each => key[each]!))
              const popped = heap.pop()
              expect(key[popped]).toBe(least)
              expect(inside.delete(popped)).toBe(true)
            } else if (what === 'clear') {
              heap.clear()
              inside.clear()
            }
            for (let each = 0; each < keys.length; each++) expect(heap.has(each)).toBe(inside.has(each))
            expect(heap.isEmpty).toBe(inside.size === 0)
          }
        },
      ),
    )
  })
})
