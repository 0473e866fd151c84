import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { lab } from './lab'

let folder: string
let page: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lab-'))
  page = join(folder, 'index.html')
  writeFileSync(page, '<!doctype html><title>the page</title>')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the command until `use` is done, or until it ends by itself. */
async function run(args: string[], use: (url: string) => Promise<void> = async () => {}, file = page) {
  const stop = new AbortController()
  let out = ''
  let err = ''
  let listening: (url: string) => void
  const url = new Promise<string>(resolve => {
    listening = resolve
  })
  const status = lab(args, {
    out: text => {
      out += text
      const at = /http:\S+/.exec(text)?.[0]
      if (at) listening(at)
    },
    err: text => {
      err += text
    },
    stop: stop.signal,
    page: file,
  })
  const used = url.then(use).finally(() => stop.abort())
  const code = await status
  if (out.includes('http:')) await used
  return { code, out, err }
}

describe('lab', () => {
  it('serves the page on 127.0.0.1 until it is stopped', async () => {
    const { code, out } = await run([], async url => {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
      for (const path of ['', 'index.html', '?x=1']) {
        const response = await fetch(`${url}${path}`)
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(await response.text()).toContain('the page')
      }
      expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe('38')
    })
    expect(code).toBe(0)
    expect(out).toMatch(/^The lab is at http/)
  })

  it('serves nothing else', async () => {
    await run(['--port', '0'], async url => {
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
    const { code, err, out } = await run(args)
    expect(code).toBe(2)
    expect(err).toContain(`lab: ${message}`)
    expect(err).toContain('usage: kafkajs-sticky-assignor lab')
    expect(out).toBe('')
  })

  it('explains itself', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('usage:'), err: '' })
  })

  it('says where the port is taken, and where there is no page, with status 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const taken = await run(['--port', String(port)])
    expect(taken).toMatchObject({ code: 1, out: '' })
    expect(taken.err).toMatch(new RegExp(`^lab: cannot listen on 127.0.0.1, port ${port}: .*EADDRINUSE`))
    other.close()
    const missing = await run([], undefined, join(folder, 'nowhere.html'))
    expect(missing).toMatchObject({ code: 1, out: '' })
    expect(missing.err).toContain('npm run build:lab')
  })
})
