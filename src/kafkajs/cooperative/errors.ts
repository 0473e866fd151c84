/**
 * Errors by what they mean for a member. By name and type, which kafkajs sets from literals: class names do not survive
 * a minifier, and `instanceof` does not survive a second copy of kafkajs.
 */
interface KafkaError {
  readonly name?: unknown
  readonly type?: unknown
  readonly code?: unknown
  readonly cause?: unknown
  readonly message?: unknown
}

const unreachableErrors = new Set<unknown>([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSLockTimeout',
])

const connectionErrors = new Set<unknown>([
  ...unreachableErrors,
  'KafkaJSBrokerNotFound',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
])

const coordinatorErrors = new Set<unknown>([
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'REQUEST_TIMED_OUT',
  'NETWORK_EXCEPTION',
  // Of a connection whose authentication has come out of step: another one will do, as kafkajs' broker pool knows too.
  'ILLEGAL_SASL_STATE',
])

const typeOf = (error: unknown): unknown => (error as KafkaError | null)?.type

/** The coordinator could not be reached, or is another broker now, or not ready: look for it again, later. */
export function isPassing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { name, code, cause } = error as KafkaError
  if (connectionErrors.has(name) || coordinatorErrors.has(typeOf(error)) || code === 'ECONNREFUSED') return true
  return (name === 'KafkaJSNumberOfRetriesExceeded' || name === 'KafkaJSNonRetriableError') && isPassing(cause)
}

/** A broker cannot be reached, or does not answer. */
export function isUnreachable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { name, cause } = error as KafkaError
  if (name === 'KafkaJSNumberOfRetriesExceeded' || name === 'KafkaJSNonRetriableError') return isUnreachable(cause)
  return unreachableErrors.has(name)
}

export const isRebalancing = (error: unknown): boolean => typeOf(error) === 'REBALANCE_IN_PROGRESS'

/** The coordinator no longer counts this member in, or has moved on without it. */
export const isLoss = (error: unknown): boolean => forgetsMember(error) || typeOf(error) === 'ILLEGAL_GENERATION'

/** The member id is of no use any more. After ILLEGAL_GENERATION it is (KAFKA-13419: dropping it leaves a ghost). */
export const forgetsMember = (error: unknown): boolean => {
  const type = typeOf(error)
  return type === 'UNKNOWN_MEMBER_ID' || type === 'FENCED_INSTANCE_ID'
}
