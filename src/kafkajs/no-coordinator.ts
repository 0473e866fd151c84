/**
 * kafkajs ends a consumer for good when it finds no broker to ask for the coordinator, since its
 * KafkaJSGroupCoordinatorNotFound counts as not retriable; where a broker is merely starting again, that is for nothing.
 * The same error as one after which kafkajs starts the consumer again (restartOnFailure is still asked).
 */
export function withRestart(error: unknown): unknown {
  if (!isCoordinatorNotFound(error)) return error
  const { message, stack } = error as Error
  // Without a cause: kafkajs would go by that.
  return Object.assign(new Error(message), { name: 'KafkaJSConnectionError', retriable: true, stack })
}

/** By name: class names and `instanceof` do not survive bundlers and second copies of kafkajs. */
function isCoordinatorNotFound(error: unknown): boolean {
  const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown }
  if (name === 'KafkaJSGroupCoordinatorNotFound') return true
  return name === 'KafkaJSNonRetriableError' && cause !== error && isCoordinatorNotFound(cause)
}
