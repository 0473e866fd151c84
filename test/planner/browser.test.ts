import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import { encodeSubscription } from '../../src/protocol'

const root = join(__dirname, '../..')

test('./planner plans where there is no Node: members in fields and in bytes', () => {
  const esbuild = join(root, 'node_modules/esbuild/bin/esbuild')
  const entry = join(root, 'src/planner-entry.ts')
  const bundle = execFileSync(
    esbuild,
    [entry, '--bundle', '--platform=browser', '--format=iife', '--global-name=planner'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const members = [
    { memberId: 'a', topics: ['t'], owned: { t: [0, 1] }, generation: 1 },
    { memberId: 'b', metadata: Buffer.from(encodeSubscription({ topics: ['t'] })).toString('base64') },
  ]
  const request = JSON.stringify({ strategy: 'sticky', topics: { t: 2 }, members })
  // What every browser has beside the language itself.
  const page = createContext({ TextDecoder, performance, text: request })
  const answer = runInContext(`${bundle}; JSON.stringify(planner.planRequest(text))`, page) as string
  expect(JSON.parse(answer)).toMatchObject({ assignment: { a: { t: [0] }, b: { t: [1] } }, moved: 1 })
})
