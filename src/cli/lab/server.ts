/** The web server of the lab: pages from memory, and a stream of events where a live group is watched. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import type { Feed } from './feed'

export interface Site {
  /** By path. */
  readonly pages: ReadonlyMap<string, Buffer>
  /** What `/live` streams, as server-sent events. */
  readonly feed?: Feed | undefined
}

const HEARTBEAT_MS = 15_000

/** The pages need nothing but themselves and this server. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Resolves when it listens; rejects when it cannot. */
export function serve(site: Site, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => answer(site, host, request, response))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`
}

function answer(site: Site, host: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '', headers } = request
  const path = url.split('?')[0]!
  const page = site.pages.get(path)
  if (!isOurs(headers.host, host)) {
    refuse(response, 403, 'This server goes by another name.')
  } else if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    refuse(response, 405, 'Pages can only be read.')
  } else if (path === '/live' && site.feed) {
    stream(site.feed, request, response)
  } else if (page) {
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': page.length,
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    response.end(method === 'HEAD' ? undefined : page)
  } else {
    refuse(response, 404, `There is no such page. There are ${[...site.pages.keys()].join(' ')}`)
  }
}

/**
 * Whether a request is meant for this server. A page of somebody else's may have its own name point to 127.0.0.1, to read
 * through a browser here what only this machine should see (DNS rebinding): names other than ours are refused.
 */
function isOurs(header: string | undefined, host: string): boolean {
  const name = (header ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return isIP(name) !== 0 || name === 'localhost' || name === host
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`)
}

function stream(feed: Feed, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write('retry: 2000\n\n')
  const end = feed.listen(({ name, data }) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`))
  // Tells whoever stands between that this is no connection left behind.
  const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS)
  request.once('close', () => {
    clearInterval(heartbeat)
    end()
  })
}
