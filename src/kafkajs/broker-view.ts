import type { Broker, ProtocolRequest } from './internals'

/**
 * A view of a broker that sends other requests than the broker itself would; the broker is untouched, and so is whoever
 * else uses it. Null where kafkajs' connection pool is not found (renamed by a bundler).
 */
export function brokerView(broker: Broker, change: (request: ProtocolRequest) => ProtocolRequest): Broker | null {
  const pool = broker.connectionPool
  const send = pool?.send
  if (!pool || typeof send !== 'function') return null
  const changed = Object.create(pool, {
    send: { value: (request: ProtocolRequest) => send.call(pool, change(request)) },
  })
  return Object.create(broker, { connectionPool: { value: changed } })
}

const quietViews = new WeakMap<Broker, { pool: unknown; view: Broker }>()

/** The broker, without kafkajs' log lines at level ERROR about what it answers. */
export function quietBroker(broker: Broker): Broker {
  const known = quietViews.get(broker)
  if (known?.pool === broker.connectionPool && known) return known.view
  const view = brokerView(broker, request => ({ ...request, logResponseError: false })) ?? broker
  quietViews.set(broker, { pool: broker.connectionPool, view })
  return view
}
