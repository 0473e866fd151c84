import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { serveLab } from './lab'
import { runProgram } from './program'

let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lab-'))
  file = join(folder, 'index.html')
  writeFileSync(file, '<!doctype html><title>the page</title>')
})
afterAll(() => rmSync(folder, { recursive: true }))

function collector(onText: (text: string) => void = () => {}) {
  const texts: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      texts.push(String(chunk))
      onText(String(chunk))
      done()
    },
  })
  return { stream, text: () => texts.join('') }
}

/** Serves until `use` is done; without it for as long as the command itself goes on. */
async function serve(use?: (url: string) => Promise<void>, { port = 0, page = file } = {}) {
  const stop = new AbortController()
  let used = Promise.resolve()
  const out = collector(text => {
    const url = /http:\S+/.exec(text)?.[0]
    if (url) used = (use?.(url) ?? Promise.resolve()).finally(() => stop.abort())
  })
  const err = collector()
  const io = { stdout: out.stream, stderr: err.stream }
  const status = await serveLab({ host: '127.0.0.1', port }, io, { file: page, stop: stop.signal })
  await used
  return { status, out: out.text(), err: err.text() }
}

async function run(...args: string[]) {
  const out = collector()
  const err = collector()
  const io = { stdin: process.stdin, stdout: out.stream, stderr: err.stream }
  return { status: await runProgram(['lab', ...args], io), out: out.text(), err: err.text() }
}

describe('lab', () => {
  it('serves the page until it is stopped', async () => {
    const { status, out } = await serve(async url => {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
      for (const path of ['', 'index.html', '?x=1']) {
        const response = await fetch(`${url}${path}`)
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(await response.text()).toContain('the page')
      }
      expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe('38')
    })
    expect(status).toBe(0)
    expect(out).toMatch(/^The lab is at http/)
  })

  it('serves nothing else', async () => {
    await serve(async url => {
      expect((await fetch(`${url}../package.json`)).status).toBe(404)
      expect((await fetch(`${url}%2e%2e/package.json`)).status).toBe(404)
      expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(405)
    })
  })

  it.each([
    [['--port', 'x'], '--port must be a number from 0 to 65535; got "x"'],
    [['--port', '65536'], '--port must be a number from 0 to 65535; got "65536"'],
    [['--host', ''], '--host must be an address or a host name; got ""'],
    [['--colour'], "Unknown option '--colour'"],
    [['extra'], "Unexpected argument 'extra'"],
  ])('answers wrong flags with its usage and status 2: %j', async (args, message) => {
    const { status, err, out } = await run(...args)
    expect(status).toBe(2)
    expect(err).toContain(message)
    expect(err).toContain('Usage: kafkajs-sticky-assignor lab')
    expect(out).toBe('')
  })

  it('explains itself', async () => {
    expect(await run('--help')).toMatchObject({ status: 0, out: expect.stringMatching(/^Usage:.* lab/), err: '' })
  })

  it('says where the port is taken, and where there is no page, with status 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const taken = await serve(undefined, { port })
    expect(taken).toMatchObject({ status: 1, out: '' })
    expect(taken.err).toMatch(new RegExp(`^cannot listen on 127.0.0.1, port ${port}: .*EADDRINUSE`))
    other.close()
    const missing = await serve(undefined, { page: join(folder, 'nowhere.html') })
    expect(missing).toMatchObject({ status: 1, out: '' })
    expect(missing.err).toContain('npm run build:lab')
  })
})
