import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Admin, ISocketFactory, LogEntry, SASLOptions } from 'kafkajs'
import { ClusterError } from './cluster-error'
import { Deadline } from './deadline'
import { connectionReason, type Failure, failureOf, refusesUser } from './failure'
import type { ClusterSettings } from './settings'

/** A connection through kafkajs' admin. It only reads: topics are never created, groups never joined. */
export interface ClusterConnection {
  readonly admin: Admin
  readonly settings: ClusterSettings
  /** Whether a broker has answered with this error of Kafka's; some of them kafkajs keeps to itself. */
  answered(type: string): boolean
  /** Brokers to which a connection is being opened; if there are none, those that are connected. */
  waitingFor(): string[]
  /** Ends all connections, also those that a request is waiting for. */
  close(): Promise<void>
}

/**
 * Connects to the first broker of the list that answers; kafkajs learns the others from it.
 *
 * @throws ClusterError if kafkajs is missing, the credentials are refused, or no broker answers in time.
 */
export async function connectCluster(settings: ClusterSettings, deadline: Deadline): Promise<ClusterConnection> {
  const { brokers, ssl } = settings
  const failures: string[] = []
  for (const [i, broker] of brokers.entries()) {
    const connection = openConnection(settings, broker)
    try {
      const share = deadline.leftMs / (brokers.length - i)
      await deadline.within(connection.admin.connect(), () => new Error('timeout'), share)
      return connection
    } catch (error) {
      void connection.close()
      const failure = connection.lastFailure() ?? failureOf(error)
      if (refusesUser(failure)) {
        throw new ClusterError('STICKY_ERR_AUTHENTICATION', `${broker} refuses to authenticate: ${failure.message}`)
      }
      failures.push(`${broker}: ${connectionReason(failure, ssl !== undefined)}`)
    }
  }
  const what = brokers.length === 1 ? 'the broker cannot be reached' : 'none of the brokers can be reached'
  throw new ClusterError('STICKY_ERR_UNREACHABLE', `${what}: ${failures.join('; ')}`)
}

function openConnection(
  settings: ClusterSettings,
  broker: string,
): ClusterConnection & { lastFailure(): Failure | null } {
  const { Kafka, logLevel } = loadKafkajs()
  const sockets = new Map<Socket, string>()
  const answered = new Set<string>()
  let lastFailure: Failure | null = null
  let closed = false

  const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    if (closed) throw new Error('closed')
    const servername = isIP(host) ? {} : { servername: host }
    const socket = ssl
      ? connectTls({ host, port, ...servername, ...ssl }, onConnect)
      : connectTcp({ host, port }, onConnect)
    sockets.set(socket, `${host}:${port}`)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', error => {
      lastFailure = failureOf(error)
    })
    return socket
  }
  const listen = ({ log }: LogEntry) => {
    const { type } = failureOf(log.error)
    if (type !== null) answered.add(type)
  }
  const kafka = new Kafka({
    clientId: 'kafkajs-sticky-assignor',
    brokers: [broker],
    ...(settings.ssl ? { ssl: settings.ssl } : {}),
    ...(settings.sasl ? { sasl: settings.sasl as SASLOptions } : {}),
    connectionTimeout: settings.timeoutMs,
    requestTimeout: settings.timeoutMs,
    retry: { retries: 2, initialRetryTime: 50, maxRetryTime: 200 },
    socketFactory,
    // Errors that kafkajs swallows are told at this level only.
    logLevel: logLevel.DEBUG,
    logCreator: () => listen,
  })
  const admin = kafka.admin()
  return {
    admin,
    settings,
    answered: type => answered.has(type),
    waitingFor() {
      const opening = [...sockets].filter(([socket]) => socket.connecting)
      return [...new Set((opening.length > 0 ? opening : [...sockets]).map(([, address]) => address))].sort()
    },
    lastFailure: () => lastFailure,
    async close() {
      closed = true
      await new Deadline(500).within(admin.disconnect(), () => new Error('late')).catch(() => {})
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}

/** Only here, and only when it is needed: the other commands do without. */
function loadKafkajs(): typeof import('kafkajs') {
  try {
    return require('kafkajs') as typeof import('kafkajs')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    const message = 'kafkajs is not installed beside this package; npm install kafkajs'
    throw new ClusterError('STICKY_ERR_NO_KAFKAJS', message)
  }
}
