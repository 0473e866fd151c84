import { brokerView, sendQuietly } from '../broker-view'
import type { Broker, Cluster } from '../internals'

export interface Address {
  readonly nodeId: number | string | null
  readonly host: string
  readonly port: number
}

/**
 * Whether connections can be built with the consumer's own settings (TLS, SASL, time-outs): builds one, unconnected. A
 * bundler that renames properties makes it fail.
 */
export async function canBuildConnections(cluster: Cluster): Promise<boolean> {
  try {
    const { connectionPool } = await build(cluster, { nodeId: null, host: 'localhost', port: 1 })
    return typeof connectionPool?.send === 'function'
  } catch {
    return false
  }
}

async function build(cluster: Cluster, { nodeId, host, port }: Address): Promise<Broker> {
  const connectionPool = await cluster.connectionPoolBuilder!.build({ host, port, rack: null })
  return cluster.brokerPool!.createBroker!({ logger: cluster.rootLogger, connectionPool, nodeId })
}

/**
 * A connection of our own to the coordinator, opened when it is needed. A broker answers the requests of a connection
 * one after the other: on kafkajs' own, a JoinGroup that waits for the group would hold up commits and metadata.
 */
export class OwnConnection {
  private current: { readonly broker: Broker; readonly address: Address } | null = null
  private opening: { readonly address: Address; readonly broker: Promise<Broker>; dropped: boolean } | null = null

  constructor(
    private readonly cluster: Cluster,
    /** Called with the member id that MEMBER_ID_REQUIRED brings, before the join is repeated with it. */
    private readonly onMemberId: (memberId: string) => void = () => {},
  ) {}

  /** The broker, connected. kafkajs' connect() opens a socket for each caller, so callers share one call. */
  async at(address: Address): Promise<Broker> {
    const { current, opening } = this
    if (opening && isSame(opening.address, address)) return opening.broker
    if (current && isSame(current.address, address) && current.broker.isConnected()) return current.broker
    return this.open(address)
  }

  /** Ends the connection and what waits on it, without waiting for answers. */
  drop(): void {
    const { current, opening } = this
    this.current = null
    this.opening = null
    if (current) destroy(current.broker)
    // Ended when it is open: kafkajs logs an error for a socket that never connects.
    if (opening) opening.dropped = true
  }

  private open(address: Address): Promise<Broker> {
    // One that has been closed by the broker is connected anew; it may be waiting for an authentication as well.
    const known = this.current && isSame(this.current.address, address) ? this.current.broker : null
    if (known) this.current = null
    else this.drop()
    const connect = async (): Promise<Broker> => {
      const broker = known ?? this.quiet(await build(this.cluster, address))
      try {
        await broker.connect()
      } catch (error) {
        destroy(broker)
        throw error
      } finally {
        if (this.opening === opening) this.opening = null
      }
      if (opening.dropped) {
        destroy(broker)
        throw dropped()
      }
      this.current = { broker, address }
      return broker
    }
    const opening = { address, dropped: false, broker: Promise.resolve().then(connect) }
    this.opening = opening
    return opening.broker
  }

  /**
   * A view of the broker on which expected errors (a rebalance, a required member id) are not logged at ERROR, and
   * which tells the member id that kafkajs' joinGroup keeps to itself.
   */
  private quiet(broker: Broker): Broker {
    const view = brokerView(broker, async (request, send) => {
      try {
        return await sendQuietly(request, send)
      } catch (error) {
        const { name, memberId } = error as { name?: unknown; memberId?: unknown }
        if (name === 'KafkaJSMemberIdRequired' && typeof memberId === 'string') this.onMemberId(memberId)
        throw error
      }
    })
    return view ?? broker
  }
}

function destroy(broker: Broker): void {
  for (const connection of broker.connectionPool?.pool ?? []) {
    // Connection.disconnect waits for answers; a parked JoinGroup would hold it up for the whole rebalance.
    connection.rejectRequests?.(dropped())
    const { socket } = connection
    void Promise.resolve(connection.disconnect?.())
      .catch(() => {})
      .then(() => socket?.destroy())
  }
}

const isSame = (a: Address, b: Address): boolean => a.host === b.host && a.port === b.port

/** In the shape of kafkajs' own, so that it counts as passing. */
function dropped(): Error {
  return Object.assign(new Error('The connection to the coordinator was dropped'), {
    name: 'KafkaJSConnectionClosedError',
    retriable: true,
  })
}
