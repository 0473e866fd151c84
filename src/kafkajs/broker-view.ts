import type { Broker, ProtocolRequest } from './internals'

type Send = (request: ProtocolRequest) => Promise<unknown>

/**
 * A view of a broker that sends its requests by way of `around`, which is given what really sends; the broker is untouched,
 * and so is whoever else uses it. Null where kafkajs' connection pool is not found (renamed by a bundler).
 */
export function brokerView(
  broker: Broker,
  around: (request: ProtocolRequest, send: Send) => Promise<unknown>,
): Broker | null {
  const pool = broker.connectionPool
  const send = pool?.send
  if (!pool || typeof send !== 'function') return null
  const changed = Object.create(pool, {
    send: { value: (request: ProtocolRequest) => around(request, passed => send.call(pool, passed)) },
  })
  return Object.create(broker, { connectionPool: { value: changed } })
}

/** Sends without kafkajs' log line at level ERROR about an answer that is an error. */
export const sendQuietly = (request: ProtocolRequest, send: Send): Promise<unknown> =>
  send({ ...request, logResponseError: false })

const quietViews = new WeakMap<Broker, { pool: unknown; view: Broker }>()

/** The broker, without kafkajs' log lines at level ERROR about what it answers. */
export function quietBroker(broker: Broker): Broker {
  const known = quietViews.get(broker)
  if (known?.pool === broker.connectionPool && known) return known.view
  const view = brokerView(broker, sendQuietly) ?? broker
  quietViews.set(broker, { pool: broker.connectionPool, view })
  return view
}
