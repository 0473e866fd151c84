import { ClusterError } from './cluster-error'
import type { ClusterSettings } from './settings'

/** What kafkajs' errors say, behind those that it wraps around them. */
export interface Failure {
  readonly name: string
  readonly message: string
  /** Name of Kafka's error code. */
  readonly type: string | null
  /** Of the operating system, or of OpenSSL. */
  readonly code: string | null
  /** `host:port` of a connection that failed. */
  readonly broker: string | null
}

export function failureOf(thrown: unknown): Failure {
  let error = thrown as Error & Record<string, unknown>
  while (error?.cause instanceof Error) error = error.cause as typeof error
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    name: String(error?.name ?? 'Error'),
    message: String(error?.message ?? error),
    type: text(error?.type),
    code: text(error?.code),
    broker: text(error?.broker),
  }
}

/** Why there is no connection, in a few words. */
export function connectionReason({ name, message, code }: Failure, tls: boolean): string {
  const known = code === null ? undefined : reasons[code]
  if (known) return known
  if (code !== null && /^(ERR_SSL|ERR_TLS|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return tlsReason(code, message)
  if (name === 'KafkaJSConnectionClosedError') {
    return `it closed the connection: does this port want ${tls ? 'SASL' : 'TLS or SASL'}?`
  }
  if (/timeout/i.test(message)) return 'no answer'
  return message.replace(/^(Connection error|Failed to connect): /, '')
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to its network',
}

function tlsReason(code: string, message: string): string {
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return `no TLS connection (${code}): does this port speak TLS?`
  return `its certificate is not accepted: ${message} (${code})`
}

/** Whether the broker does not accept who we say we are, or the way in which we say it. */
export function refusesUser({ name, type }: Failure): boolean {
  return name === 'KafkaJSSASLAuthenticationError' || (type?.includes('SASL') ?? false)
}

/** Whether another try may help: a broker has gone, and others are about to take over what was its. */
export function mayPass(thrown: unknown): boolean {
  const { name, type } = failureOf(thrown)
  return passing.has(type ?? name) || name.startsWith('KafkaJSConnection')
}

const passing = new Set([
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'LEADER_NOT_AVAILABLE',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSBrokerNotFound',
])

/** Turns whatever kafkajs has thrown into an error for people. */
export function clusterError(thrown: unknown, groupId: string, { ssl, brokers }: ClusterSettings): ClusterError {
  if (thrown instanceof ClusterError) return thrown
  const failure = failureOf(thrown)
  const { name, type, broker, message } = failure
  if (type === 'GROUP_AUTHORIZATION_FAILED') return noPermission(groupId)
  if (type?.endsWith('_AUTHORIZATION_FAILED'))
    return new ClusterError('STICKY_ERR_NO_PERMISSION', `${message} (${type})`)
  if (refusesUser(failure)) {
    return new ClusterError('STICKY_ERR_AUTHENTICATION', `the broker refuses to authenticate: ${message}`)
  }
  if (name.startsWith('KafkaJSConnection') && broker !== null) {
    const reason = connectionReason(failure, ssl !== undefined)
    const named = brokers.includes(broker) ? '' : ', as the cluster names it (advertised.listeners),'
    return new ClusterError('STICKY_ERR_UNREACHABLE', `broker ${broker}${named} cannot be reached: ${reason}`)
  }
  return new ClusterError('STICKY_ERR_CLUSTER', type ? `${message} (${type})` : message)
}

export function noPermission(groupId: string): ClusterError {
  return new ClusterError('STICKY_ERR_NO_PERMISSION', `no permission to DESCRIBE group ${JSON.stringify(groupId)}`)
}
