/** `lab`: serves the page that compares strategies, which the package holds as one file. */

import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const usage = `usage: kafkajs-sticky-assignor lab [--host 127.0.0.1] [--port 0]

Serves a page on which range, roundrobin, sticky and cooperative-sticky can be compared on the same consumer group.
  --host  address to listen on; anything but the default lets other machines in
  --port  port to listen on; 0, the default, takes a free one
`

/** The page as `npm run build` leaves it, seen from src/cli and from dist/cli alike. */
const builtPage = join(__dirname, '../../lab/dist/index.html')

export interface LabIo {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Ends the server. Default: an interrupt or the request to terminate. */
  readonly stop?: AbortSignal
  readonly page?: string
}

const processIo: LabIo = { out: text => process.stdout.write(text), err: text => process.stderr.write(text) }

/** Runs until it is stopped. Returns the exit status: 0, 1 if it cannot listen or has no page, 2 for wrong flags. */
export async function lab(args: readonly string[], io: LabIo = processIo): Promise<number> {
  const options = readOptions(args)
  if (typeof options === 'string') {
    io.err(`lab: ${options}\n${usage}`)
    return 2
  }
  if (options.help) {
    io.out(usage)
    return 0
  }
  const file = io.page ?? builtPage
  const page = await readFile(file).catch(() => undefined)
  if (!page) {
    io.err(`lab: there is no page at ${file}; in a clone, npm run build:lab makes it\n`)
    return 1
  }
  const server = createServer((request, response) => answer(page, request, response))
  try {
    await listen(server, options.host, options.port)
  } catch (error) {
    io.err(`lab: cannot listen on ${options.host}, port ${options.port}: ${(error as Error).message}\n`)
    return 1
  }
  io.out(`The lab is at ${urlOf(server.address() as AddressInfo)} (Ctrl-C ends it)\n`)
  await stopped(io.stop)
  server.close()
  server.closeAllConnections()
  return 0
}

function readOptions(args: readonly string[]): string | { host: string; port: number; help: boolean } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { host: { type: 'string' }, port: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
    const { host = '127.0.0.1', port = '0', help = false } = values
    if (host === '') return '--host must be an address or a host name; got ""'
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) return `--port must be a number from 0 to 65535; got "${port}"`
    return { host, port: Number(port), help }
  } catch (error) {
    return (error as Error).message
  }
}

function answer(page: Buffer, { method, url }: IncomingMessage, response: ServerResponse): void {
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  const [path] = (url ?? '').split('?')
  if (path !== '/' && path !== '/index.html') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is only one page, at /\n')
    return
  }
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': page.length,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  })
  response.end(method === 'HEAD' ? undefined : page)
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`

function stopped(signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve()
    if (signal) return signal.addEventListener('abort', () => resolve(), { once: true })
    const stop = () => {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}
