import { expect, test } from '@jest/globals'
import { decodeSubscription, encodeSubscription, NameTable } from '.'

const read = (names: NameTable, name: string): string => {
  const bytes = new TextEncoder().encode(`>${name}<`)
  return names.read(bytes, 1, bytes.length - 1)
}

test('thousands of names, in several orders, are all told apart', () => {
  const names = new NameTable()
  const all = Array.from({ length: 5000 }, (_, i) => (i % 3 === 0 ? `topic-${i}` : i % 3 === 1 ? `${i}` : `thème.${i}`))
  const backwards = [...all].reverse()
  const everySecond = all.filter((_, i) => i % 2 === 0)
  for (const order of [all, all, backwards, everySecond, all]) {
    expect(order.map(name => read(names, name))).toEqual(order)
  }
})

test('names that begin alike, are empty, or are parts of one another', () => {
  const names = new NameTable()
  const order = ['', 'a', 'aa', 'ab', 'a', '', 'b', 'aaa'.repeat(200), 'aaa'.repeat(201)]
  for (let round = 0; round < 3; round++) for (const name of order) expect(read(names, name)).toBe(name)
})

test('names that hash alike are told apart', () => {
  // FNV-1a gives the two of each pair one value.
  const colliding = ['costarring', 'liquid', 'declinate', 'macallums', 'altarage', 'zinke', 'altarages', 'zinkes']
  const names = new NameTable()
  for (let round = 0; round < 2; round++) for (const name of colliding) expect(read(names, name)).toBe(name)
})

test('more names in one place of the table than it looks at', () => {
  const place = (name: string): number => {
    let h = 0x811c9dc5
    for (const byte of new TextEncoder().encode(name)) h = Math.imul(h ^ byte, 0x01000193)
    return (h ^ (h >>> 15)) & 0x3ff
  }
  const crowded: string[] = []
  for (let i = 0; crowded.length < 40; i++) if (place(`t${i}`) === 7) crowded.push(`t${i}`)
  const names = new NameTable()
  for (let round = 0; round < 2; round++) for (const name of crowded) expect(read(names, name)).toBe(name)
})

test('members of a uniform group share one list of topics', () => {
  const names = new NameTable()
  const member = (topics: string[], generationId: number) =>
    decodeSubscription(encodeSubscription({ topics, generationId }), names)
  const first = member(['a', 'b'], 1)
  expect(member(['a', 'b'], 2).topics).toBe(first.topics)
  expect(member(['a', 'c'], 2).topics).toEqual(['a', 'c'])
  expect(member(['a'], 2).topics).toEqual(['a'])
  expect(member(['a', 'b'], 3).topics).toEqual(['a', 'b'])
})

test('a list of topics that is cut off where the last one ended is not taken for a repetition', () => {
  const names = new NameTable()
  const whole = encodeSubscription({ topics: ['a', 'b'] })
  decodeSubscription(whole, names)
  expect(decodeSubscription(whole.subarray(0, 11), names)).toEqual(decodeSubscription(whole.subarray(0, 11)))
})
