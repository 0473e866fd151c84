import type { Interception } from '../intercept'
import type { Broker, Cluster, ProtocolRequest } from '../internals'

/** A connection that the code under test had built, and what became of it. */
export class BuiltBroker {
  connects = 0
  connected = false
  destroyed = false
  /** Errors that ended what waited on it. */
  readonly rejected: Error[] = []
  readonly requests: ProtocolRequest[] = []
  /** How its next connects go; at once and well if there is none. */
  readonly connecting: Promise<void>[] = []
  /** What it answers; rejections are answers too. */
  answer: (request: ProtocolRequest) => Promise<unknown> = async () => ({})

  constructor(readonly address: string) {}

  readonly connectionPool = {
    pool: [
      {
        rejectRequests: (error: Error) => void this.rejected.push(error),
        disconnect: async () => {
          this.connected = false
        },
        socket: {
          destroy: () => {
            this.destroyed = true
          },
        },
      },
    ],
    send: (request: ProtocolRequest) => {
      this.requests.push(request)
      return this.answer(request)
    },
  }

  // Bound: they are called on views of it.
  readonly connect = async (): Promise<void> => {
    this.connects++
    await this.connecting.shift()
    this.connected = true
  }

  readonly isConnected = (): boolean => this.connected
}

/** The part of a cluster that connections of one's own are built with, and that knows where the coordinator is. */
export class ScriptedBrokers {
  readonly built: BuiltBroker[] = []
  /** Called with each connection before it is used. */
  onBuild: (broker: BuiltBroker) => void = () => {}
  coordinator = { nodeId: 1, host: 'one', port: 9092 }
  lookups = 0
  refreshes = 0
  lookup: () => Promise<void> = async () => {}

  readonly cluster = {
    connectionPoolBuilder: { build: async ({ host, port }: { host: string; port: number }) => ({ host, port }) },
    brokerPool: {
      createBroker: ({ connectionPool: { host, port } }: { connectionPool: { host: string; port: number } }) => {
        const broker = new BuiltBroker(`${host}:${port}`)
        this.built.push(broker)
        this.onBuild(broker)
        return broker as unknown as Broker
      },
    },
    findGroupCoordinatorMetadata: async () => {
      this.lookups++
      await this.lookup()
      return { coordinator: this.coordinator }
    },
  } as unknown as Cluster

  readonly interception = {
    cluster: this.cluster,
    original: {
      refreshMetadata: async () => {
        this.refreshes++
      },
    },
  } as unknown as Interception
}

/** Sends something over the broker's pool, as the methods of kafkajs' Broker do. */
export function sendOver(broker: Broker, request: ProtocolRequest = {}): Promise<unknown> {
  return broker.connectionPool!.send!(request)
}
