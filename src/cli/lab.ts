/** `lab`: serves the page that compares strategies, which the package holds as one file. */

import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Command, type Io, UsageError, write } from './command'

const help = `Usage: kafkajs-sticky-assignor lab [--host ADDRESS] [--port NUMBER]

Serves a page on which range, roundrobin, Kafka's sticky and the strategies of this package can be compared on the same
consumer group, until it is interrupted. The page asks for nothing but itself.

Options:
  --host     address to listen on (default 127.0.0.1); another one may let other machines in
  --port     port to listen on (default 0: a free one)
  --help     show this text
`

/** The page as `npm run build` leaves it, seen from src/cli and from dist/cli alike. */
const builtPage = join(__dirname, '../../lab/dist/index.html')

export interface LabOptions {
  readonly host: string
  readonly port: number
}

export const labCommand: Command = {
  summary: 'serve the page on which strategies can be compared',
  help,
  run: (args, io) => serveLab(readOptions(args), io),
}

/** Serves until `stop` ends it, by default an interrupt. Exit status 1: there is no page, or no listening there. */
export async function serveLab(
  { host, port }: LabOptions,
  { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
  { file = builtPage, stop }: { file?: string; stop?: AbortSignal } = {},
): Promise<number> {
  const page = await readFile(file).catch(() => undefined)
  if (!page) {
    await write(stderr, `there is no page at ${file}; in a clone, npm run build:lab makes it\n`)
    return 1
  }
  const server = createServer((request, response) => answer(page, request, response))
  try {
    await listen(server, host, port)
  } catch (error) {
    await write(stderr, `cannot listen on ${host}, port ${port}: ${(error as Error).message}\n`)
    return 1
  }
  await write(stdout, `The lab is at ${urlOf(server.address() as AddressInfo)} (Ctrl-C ends it)\n`)
  await stopped(stop)
  server.close()
  server.closeAllConnections()
  return 0
}

function readOptions(args: string[]): LabOptions {
  const { values } = parseArgs({ args, options: { host: { type: 'string' }, port: { type: 'string' } } })
  const { host = '127.0.0.1', port = '0' } = values
  if (host === '') throw new UsageError('--host must be an address or a host name; got ""')
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535)
    throw new UsageError(`--port must be a number from 0 to 65535; got ${JSON.stringify(port)}`)
  return { host, port: Number(port) }
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
