import { expect, test } from '@jest/globals'
import { LiveArrays } from './live-arrays'
import { keyOf } from './partition-key'

test('adds to and removes from the very arrays that it was given', () => {
  const live = new LiveArrays(() => {})
  const payload: Record<string, number[]> = { orders: [0, 1], audit: [] }
  expect(live.adopt(payload, ['orders', 'audit'])).toBe(true)
  live.align(new Set([keyOf('orders', 1), keyOf('audit', 4)]))
  expect(payload).toEqual({ orders: [1], audit: [4] })
  live.add(keyOf('orders', 3))
  live.add(keyOf('orders', 3))
  live.remove(keyOf('audit', 4))
  live.remove(keyOf('audit', 4))
  expect(payload).toEqual({ orders: [1, 3], audit: [] })
})

test('takes nothing over unless each topic has an array', () => {
  const live = new LiveArrays(() => {})
  expect(live.adopt({ orders: [0] }, ['orders', 'audit'])).toBe(false)
  expect(live.adopt(undefined, ['orders'])).toBe(false)
  expect(live.adopted).toBe(false)
})

test('hears of a seek, which kafkajs asks `includes` for', () => {
  const sought: string[] = []
  const live = new LiveArrays(key => sought.push(key))
  const payload = { orders: [0, 1] }
  live.adopt(payload, ['orders'])
  expect(payload.orders.includes(1)).toBe(true)
  expect(payload.orders.includes(7)).toBe(false)
  expect(sought).toEqual([keyOf('orders', 1), keyOf('orders', 7)])
  expect(Object.keys(payload.orders)).toEqual(['0', '1'])
})
