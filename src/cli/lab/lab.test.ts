import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runProgram } from '../program'
import { Feed } from './feed'
import { lab } from './index'
import { serve, urlOf } from './server'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lab-'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>the lab</title>')
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
async function run(use?: (url: string) => Promise<void>, { port = 0, pages = folder } = {}) {
  const stop = new AbortController()
  let used = Promise.resolve()
  const out = collector(text => {
    const url = /http:\S+/.exec(text)?.[0]
    if (url) used = (use?.(url) ?? Promise.resolve()).finally(() => stop.abort())
  })
  const err = collector()
  const options = { host: '127.0.0.1', port, live: null }
  const status = await lab(options, { stdout: out.stream, stderr: err.stream }, { folder: pages, stop: stop.signal })
  await used
  return { status, out: out.text(), err: err.text() }
}

async function program(...args: string[]) {
  const out = collector()
  const err = collector()
  const io = { stdin: process.stdin, stdout: out.stream, stderr: err.stream }
  return { status: await runProgram(['lab', ...args], io), out: out.text(), err: err.text() }
}

/** Status of a request that calls the server by a name of its own, which fetch does not let one do. */
const statusFor = (url: string, host: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { headers: { host } }, response => resolve(response.resume().statusCode!)).on('error', reject)
  })

describe('lab', () => {
  it('serves the page until it is stopped', async () => {
    const { status, out } = await run(async url => {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
      for (const path of ['', 'lab', '?x=1']) {
        const response = await fetch(`${url}${path}`)
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
        expect(await response.text()).toContain('the lab')
      }
      expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe('37')
    })
    expect(status).toBe(0)
    expect(out).toMatch(/^The lab is at http/)
  })

  it('serves nothing else', async () => {
    await run(async url => {
      for (const path of ['live', 'index.html', '../package.json', '%2e%2e/package.json'])
        expect((await fetch(`${url}${path}`)).status).toBe(404)
      expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(405)
    })
  })

  it('answers to its address and to localhost, and to no other name', async () => {
    await run(async url => {
      for (const host of ['127.0.0.1:80', 'localhost', '[::1]:8080']) expect(await statusFor(url, host)).toBe(200)
      for (const host of ['evil.example', 'evil.example:80', 'localhost.evil.example'])
        expect(await statusFor(url, host)).toBe(403)
    })
  })

  it.each([
    [['--port', 'x'], '--port must be a number from 0 to 65535; got "x"'],
    [['--port', '65536'], '--port must be a number from 0 to 65535; got "65536"'],
    [['--host', ''], '--host must be an address or a host name; got ""'],
    [['--brokers', 'b:9092'], '--group is missing: which group?'],
    [['--interval', '500'], '--group is missing: which group?'],
    [['--group', 'g'], '--brokers is missing, and so is KAFKA_BROKERS'],
    [['--group', 'g', '--brokers', 'b:9092', '--interval', '9'], '--interval must be a number of milliseconds'],
    [['--group', 'g', '--brokers', 'b:x'], '--brokers: expected host:port'],
    [['--colour'], "Unknown option '--colour'"],
    [['extra'], "Unexpected argument 'extra'"],
  ])('answers wrong flags with its usage and status 2: %j', async (args, message) => {
    const { status, err, out } = await program(...args)
    expect(status).toBe(2)
    expect(err).toContain(message)
    expect(err).toContain('Usage: kafkajs-sticky-assignor lab')
    expect(out).toBe('')
  })

  it('explains itself', async () => {
    expect(await program('--help')).toMatchObject({ status: 0, out: expect.stringMatching(/^Usage:.* lab/), err: '' })
  })

  it('says where the port is taken, and where there is no page, with status 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const taken = await run(undefined, { port })
    expect(taken).toMatchObject({ status: 1, out: '' })
    expect(taken.err).toMatch(new RegExp(`^lab: cannot listen on 127.0.0.1, port ${port}: .*EADDRINUSE`))
    other.close()
    const missing = await run(undefined, { pages: join(folder, 'nowhere') })
    expect(missing).toMatchObject({ status: 1, out: '' })
    expect(missing.err).toContain('npm run build:lab')
  })
})

describe('The feed', () => {
  it('streams what it is told, and begins with the last look for whoever comes later', async () => {
    const feed = new Feed()
    const server = await serve({ pages: new Map(), feed }, '127.0.0.1', 0)
    const listen = async (events: number) => {
      const response = await fetch(`${urlOf(server)}live`)
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      let text = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        if (text.split('event: ').length > events) return text.split('\n').filter(line => /^(event|data)/.test(line))
      }
      return []
    }
    const first = listen(2)
    while (!feed.hasListeners) await new Promise(resolve => setImmediate(resolve))
    feed.tell({ name: 'look', data: { n: 1, text: 'a\nb' } })
    feed.tell({ name: 'problem', data: 'no broker' })
    const both = ['event: look', 'data: {"n":1,"text":"a\\nb"}', 'event: problem', 'data: "no broker"']
    expect(await first).toEqual(both)
    expect(await listen(2)).toEqual(both)
    feed.tell({ name: 'look', data: { n: 2 } })
    expect(await listen(1)).toEqual(['event: look', 'data: {"n":2}'])
    server.closeAllConnections()
    while (feed.hasListeners) await new Promise(resolve => setImmediate(resolve))
    server.close()
  })
})
