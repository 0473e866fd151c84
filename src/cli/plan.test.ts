import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { runProgram } from './program'
import { sink } from './testing/sink'

/** Runs the program on an input; what it wrote, and its exit status. */
async function run(args: string[], ...input: (string | Buffer)[]) {
  const [stdout, stderr] = [sink(), sink()]
  const io = { stdin: Readable.from(input), stdout: stdout.stream, stderr: stderr.stream }
  const status = await runProgram(args, io)
  return { status, stdout: stdout.text(), stderr: stderr.text() }
}

const request = (count: number) =>
  JSON.stringify({ strategy: 'sticky', topics: { t: count }, members: [{ memberId: 'A', topics: ['t'] }] })

describe('plan', () => {
  test('one request, one answer', async () => {
    const { status, stdout } = await run(['plan'], `${request(2)}\n`)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ assignment: { A: { t: [0, 1] } }, moved: 2 })
    expect(stdout.endsWith('}\n')).toBe(true)
  })

  test('a broken request is answered with an error and exit status 2', async () => {
    const { status, stdout } = await run(['plan'], '{"strategy":"sticky","topics":{"t":-1},"members":[]}')
    expect(status).toBe(2)
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'STICKY_ERR_INVALID_REQUEST',
        field: 'topics.t',
        message: expect.stringContaining('topics.t: expected'),
      },
    })
    expect(await run(['plan'])).toMatchObject({ status: 2, stdout: expect.stringContaining('request: expected JSON') })
  })

  test('a byte order mark before the request is not part of it', async () => {
    expect((await run(['plan'], `\ufeff${request(1)}`)).status).toBe(0)
  })
})

describe('plan --jsonl', () => {
  test('each line is answered before the next one is there, and broken ones do not end it', async () => {
    const stdin = new PassThrough()
    const stdout = new PassThrough()
    const ended = runProgram(['plan', '--jsonl'], { stdin, stdout, stderr: new PassThrough() })
    const answers = stdout.iterator({ destroyOnReturn: false })
    const next = async () => JSON.parse(String((await answers.next()).value)) as Record<string, unknown>

    stdin.write(`${request(1)}\n`)
    expect(await next()).toMatchObject({ assignment: { A: { t: [0] } } })
    stdin.write('{"strategy":"stic')
    stdin.write('ky"}\r\n')
    expect(await next()).toMatchObject({ error: { field: 'topics' } })
    stdin.write(`\n\r\n \t\r\n${request(3)}\n`)
    expect(await next()).toMatchObject({ assignment: { A: { t: [0, 1, 2] } } })
    stdin.end(request(4))
    expect(await next()).toMatchObject({ assignment: { A: { t: [0, 1, 2, 3] } } })
    expect(await ended).toBe(0)
  })

  test('a line of 40 MB in small chunks', async () => {
    const topics = Array.from({ length: 100 }, (_, i) => `${'topic'.repeat(25)}${i}`)
    const members = Array.from({ length: 3500 }, (_, i) => ({ memberId: `member-${i}`, topics }))
    const counts = Object.fromEntries(topics.map(topic => [topic, 70]))
    const line = Buffer.from(JSON.stringify({ strategy: 'sticky', topics: counts, members }))
    expect(line.length).toBeGreaterThan(40e6)
    const chunk = (_: unknown, i: number) => line.subarray(i * 65_536, (i + 1) * 65_536)
    const chunks = Array.from({ length: Math.ceil(line.length / 65_536) }, chunk)
    const { status, stdout } = await run(['plan', '--jsonl'], ...chunks, `\n${request(1)}\n`)
    expect(status).toBe(0)
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map(text => JSON.parse(text) as Record<string, unknown>)
    expect(answers).toMatchObject([{ moved: 7000, balance: { min: 2, max: 2 } }, { moved: 1 }])
  }, 60_000)
})

describe('the command line', () => {
  test.each([
    [[]],
    [['plann']],
    [['constructor']],
    [['plan', '--json']],
    [['plan', 'request.json']],
    [['plan', '--jsonl=1']],
  ])('%j: usage on stderr, exit status 2', async args => {
    const { status, stdout, stderr } = await run(args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain('Usage: kafkajs-sticky-assignor')
  })

  test('help and version', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      expect(await run(args)).toMatchObject({ status: 0, stdout: expect.stringContaining('Commands:\n') })
    }
    expect(await run(['plan', '--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('plan [--jsonl]'),
    })
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
