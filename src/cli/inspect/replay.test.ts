import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runProgram } from '../program'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'replay-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function saved(text: string): string {
  const path = join(folder, `${Math.random()}.json`)
  writeFileSync(path, text)
  return path
}

const request = JSON.stringify({
  strategy: 'sticky',
  topics: { t: 4 },
  members: [
    { memberId: 'a', topics: ['t'], owned: { t: [0, 1] }, generation: 3 },
    { memberId: 'b', topics: ['t'], owned: { t: [2, 3] }, generation: 3 },
  ],
})

async function run(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const status = await runProgram(['inspect', ...args], { stdin: new PassThrough(), stdout, stderr })
  return { status, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

describe('inspect --replay', () => {
  test('plans what was saved, changed or not', async () => {
    const { status, stdout } = await run('--replay', saved(request), '--remove', 'b', '--reasons')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^What if b leaves\? With sticky:\nMoves {7}2 of 4 partitions/)
    expect(stdout).toContain('  a  2 → 4      gets t 2-3\n')
    expect(stdout).toMatch(/\n {2}t-3: /)
  })

  test('a byte order mark before what was saved is not part of it', async () => {
    expect(await run('--replay', saved(`\ufeff${request}`))).toMatchObject({ status: 0, stderr: '' })
  })

  test('with another strategy', async () => {
    const { stdout } = await run('--replay', saved(request), '--strategy', 'roundrobin', '--format', 'json')
    expect(JSON.parse(stdout)).toMatchObject({
      group: null,
      whatIf: {
        answer: { strategy: 'roundrobin', moved: 2, minimumMoves: 0 },
        members: [{ after: { t: [0, 2] } }, {}],
      },
    })
  })

  test.each([
    ['no JSON', '{"strategy":', /^inspect: .*\.json: .*JSON/],
    [
      'no request',
      '{"strategy":"sticky","topics":{"t":"4"},"members":[]}',
      /^inspect: .*\.json: topics\.t: expected a partition count/,
    ],
  ])('%s: file, place and what was expected, with exit status 2', async (_, text, message) => {
    expect(await run('--replay', saved(text))).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    })
  })

  test('no such file', async () => {
    const stderr = expect.stringMatching(/^inspect: ENOENT: [^\n]*\n$/)
    expect(await run('--replay', join(folder, 'none'))).toEqual({ status: 1, stdout: '', stderr })
  })

  test('a change that makes no sense is told with exit status 1, as JSON too', async () => {
    const { status, stdout, stderr } = await run('--replay', saved(request), '--remove', 'c', '--format', 'json')
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^inspect: cannot remove "c"/) })
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'STICKY_ERR_IMPOSSIBLE_CHANGE', message: expect.stringMatching(/^cannot remove "c"/) },
    })
  })
})

test('wrong flags: what is wrong and the usage of inspect, with exit status 2', async () => {
  for (const args of [['--grop', 'g'], ['--group'], ['extra'], ['--group', 'g', '--brokers', ' ']]) {
    const { status, stdout, stderr } = await run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/\n\nUsage: kafkajs-sticky-assignor inspect /)
  }
  expect(await run('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Usage: kafkajs-sticky-assignor inspect /),
  })
})
