/** `lab`: serves the page that compares strategies, and one on which a live group is seen moving. */

import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ClusterError, type ClusterSettings } from '../../cluster'
import { type Command, type Io, UsageError, write } from '../command'
import { connectionFlags, connectionHelp, connectionSettings } from '../connection-flags'
import { Feed } from './feed'
import { serve, urlOf } from './server'
import { Watcher } from './watcher'

const help = `Usage: kafkajs-sticky-assignor lab [--host ADDRESS] [--port NUMBER]
       kafkajs-sticky-assignor lab --brokers host:port,… --group ID [options]

Serves a page on which range, roundrobin, Kafka's sticky and the strategies of this package can be compared on the same
consumer group, until it is interrupted. With --group it shows a live group as well, look by look; it only reads, and
the group does not notice.

Options:
  --host ADDRESS            to listen on; 127.0.0.1 unless given. Another one may let other machines in, and there is no
                            password: whoever reaches the page sees the group
  --port NUMBER             to listen on; 0, a free one, unless given
  --group ID                the group to watch
  --interval MS             between two looks; 1000 unless given
  --help                    show this text

${connectionHelp}`

/** The pages as `npm run build` leaves them, seen from src/cli/lab and from dist/cli/lab alike. */
const builtPages = join(__dirname, '../../../lab/dist')

export interface LabOptions {
  readonly host: string
  readonly port: number
  /** Null: no live group. */
  readonly live: { readonly groupId: string; readonly settings: ClusterSettings; readonly intervalMs: number } | null
}

export const labCommand: Command = {
  summary: 'serve the page on which strategies can be compared, and a live group watched',
  help,
  run: (args, io) => lab(readOptions(args, process.env), io),
}

/**
 * Serves until `stop` ends it, by default an interrupt. Exit status 1: there is no page, no listening there, or no such
 * group.
 */
export async function lab(
  { host, port, live }: LabOptions,
  { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
  { folder = builtPages, stop }: { folder?: string; stop?: AbortSignal } = {},
): Promise<number> {
  const pages = await readPages(folder, live !== null).catch(() => undefined)
  if (!pages) {
    await write(stderr, `lab: there are no pages in ${folder}; in a clone, npm run build:lab makes them\n`)
    return 1
  }
  const feed = new Feed()
  const watcher = live ? new Watcher(live.settings, live.groupId, feed, live.intervalMs) : undefined
  let server: Server
  try {
    await watcher?.start()
    server = await serve({ pages, feed: watcher && feed }, host, port)
  } catch (error) {
    watcher?.stop()
    await write(stderr, `lab: ${reason(error, host, port)}\n`)
    return 1
  }
  await write(stdout, `The lab is at ${urlOf(server)} (Ctrl-C ends it)\n`)
  await stopped(stop)
  watcher?.stop()
  server.close()
  server.closeAllConnections()
  return 0
}

function reason(error: unknown, host: string, port: number): string {
  if (error instanceof ClusterError) return error.message
  const { syscall, message } = error as NodeJS.ErrnoException
  if (syscall === undefined) throw error
  return `cannot listen on ${host}, port ${port}: ${message}`
}

/** With a live group its page comes first, and the other one stands beside it. */
async function readPages(folder: string, live: boolean): Promise<Map<string, Buffer>> {
  const lab = await readFile(join(folder, 'index.html'))
  const pages = new Map([['/lab', lab]])
  return pages.set('/', live ? await readFile(join(folder, 'live.html')) : lab)
}

/** Throws UsageError, or what parseArgs throws, for flags that make no sense. */
function readOptions(args: string[], env: NodeJS.ProcessEnv): LabOptions {
  const { values } = parseArgs({
    args,
    options: {
      ...connectionFlags,
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      group: { type: 'string' },
      interval: { type: 'string' },
    },
  })
  const { host, port, group, interval = '1000' } = values
  if (host === '') throw new UsageError('--host must be an address or a host name; got ""')
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535; got ${JSON.stringify(port)}`)
  if (!/^[1-9]\d{2,6}$/.test(interval))
    throw new UsageError(`--interval must be a number of milliseconds, at least 100; got ${JSON.stringify(interval)}`)
  if (!group) {
    const lonely = (['brokers', 'interval'] as const).find(flag => values[flag] !== undefined)
    if (lonely || group === '') throw new UsageError('--group is missing: which group?')
    return { host, port: Number(port), live: null }
  }
  const settings = connectionSettings(values, env)
  if (settings.brokers.length === 0) throw new UsageError('--brokers is missing, and so is KAFKA_BROKERS')
  return { host, port: Number(port), live: { groupId: group, settings, intervalMs: Number(interval) } }
}

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
