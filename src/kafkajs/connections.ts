import type { Cluster, Connection, ConnectionPool } from './internals'

/** Bytes of the size in front of each answer. */
const sizeBytes = 4

/**
 * Makes the connections of a consumer start afresh. kafkajs keeps the bytes that it had of an answer when a socket was
 * lost, and reads the answers of the next socket as their continuation: after a broker that died in the middle of an
 * answer no request is answered any more. It also opens a socket for each caller that finds it unconnected, and gets
 * the answers of both in one stream; and it ends a dead socket with each attempt to reach its broker, which adds a
 * listener each time and a warning of Node's after ten.
 */
export function mendConnections({ connectionPoolBuilder: builder, brokerPool }: Cluster): void {
  const brokers = [brokerPool?.seedBroker, ...Object.values(brokerPool?.brokers ?? {})]
  for (const broker of brokers) mendPool(broker?.connectionPool)
  if (typeof builder?.build !== 'function') return
  const build = builder.build.bind(builder)
  builder.build = async options => {
    const pool = await build(options)
    mendPool(pool)
    return pool
  }
}

function mendPool(pool: ConnectionPool | undefined): void {
  for (const connection of pool?.pool ?? []) mend(connection)
}

function mend(connection: Connection): void {
  const { connect, disconnect } = connection
  if (typeof connect !== 'function' || !Array.isArray(connection.chunks)) return
  let opening: Promise<unknown> | null = null
  const openAfresh = () => {
    // Neither what it still has to say nor its end concerns the next one.
    connection.socket?.destroy()
    connection.chunks = []
    connection.bytesBuffered = 0
    connection.bytesNeeded = sizeBytes
    return connect.call(connection)
  }
  connection.connect = () => {
    if (connection.isConnected?.()) return connect.call(connection)
    opening ??= openAfresh().finally(() => {
      opening = null
    })
    return opening
  }
  if (disconnect)
    connection.disconnect = () => {
      if (connection.socket?.destroyed) connection.socket = undefined
      return disconnect.call(connection)
    }
}
