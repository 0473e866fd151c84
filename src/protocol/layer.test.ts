import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const sources = readdirSync(__dirname).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))

test('this folder uses no other one, and nothing that a browser lacks', () => {
  expect(sources.length).toBeGreaterThan(8)
  for (const name of sources) {
    const source = readFileSync(join(__dirname, name), 'utf8')
    for (const [, from] of source.matchAll(/from '([^']+)'/g)) expect(from).toMatch(/^\.\/[\w-]+$/)
    const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    expect(code).not.toMatch(/\b(Buffer|process|require|globalThis|setImmediate)\b/)
  }
})
