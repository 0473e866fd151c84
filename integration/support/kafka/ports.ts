import { createServer } from 'node:net'

const taken = new Set<number>()

/**
 * A port that nobody listens on. Below the range from which the kernel picks ports of outgoing connections, since a
 * killed node must find its port free when it comes back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 17_000)
    if (taken.has(port) || !(await isFree(port))) continue
    taken.add(port)
    return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)))
  })
}
