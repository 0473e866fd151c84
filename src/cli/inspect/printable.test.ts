import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { printable, printableJson } from './printable'

test.each([
  ['orders-1', 'orders-1'],
  ['主题 ü', '主题 ü'],
  ['\u001b[2J', '\\u{1b}[2J'],
  ['a\nb\tc\u007f', 'a\\u{a}b\\u{9}c\\u{7f}'],
  ['\u009b31m', '\\u{9b}31m'],
  ['\u202egnp.exe', '\\u{202e}gnp.exe'],
  ['a\u2028b\ufeff', 'a\\u{2028}b\\u{feff}'],
  ['\ud800', '\\u{d800}'],
  ['\u{e0041}', '\\u{e0041}'],
])('%j is shown as %j', (name, shown) => {
  expect(printable(name)).toBe(shown)
})

test('whatever a name holds, nothing that steers a terminal is printed, and JSON still says the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      const value = { [a]: [b, { b }] }
      const json = printableJson(value)
      expect(JSON.parse(json)).toEqual(value)
      for (const text of [printable(a), printable(b), json.replaceAll('\n', '')])
        expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
    }),
  )
})
