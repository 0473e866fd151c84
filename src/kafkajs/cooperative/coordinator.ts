import type { Interception } from '../intercept'
import type { Broker, Cluster } from '../internals'
import { withRestart } from '../no-coordinator'
import { Naps } from './deferred'
import { isPassing } from './errors'
import { type Address, OwnConnection } from './own-connection'

/** KIP-98's types of coordinators: 0 is that of consumer groups. */
const groupCoordinator = 0

/**
 * The group's coordinator, over two connections of our own: one for JoinGroup and SyncGroup, which the coordinator may
 * answer after the whole rebalance, and one for all else. Connections are opened at need and end with `close`.
 */
export class Coordinator {
  private address: Promise<Address> | null = null
  private readonly forJoins: OwnConnection
  private readonly forAllElse: OwnConnection
  private readonly naps = new Naps()
  private closed = false

  constructor(
    private readonly groupId: string,
    private readonly interception: Interception,
    onMemberId: (memberId: string) => void,
  ) {
    const { cluster } = interception
    this.forJoins = new OwnConnection(cluster, onMemberId)
    this.forAllElse = new OwnConnection(cluster)
  }

  /** One attempt of a JoinGroup or SyncGroup. */
  join<Answer>(use: (broker: Broker) => Promise<Answer>): Promise<Answer> {
    return this.attempt(this.forJoins, use)
  }

  /** One attempt of any other request. */
  request<Answer>(use: (broker: Broker) => Promise<Answer>): Promise<Answer> {
    return this.attempt(this.forAllElse, use)
  }

  /** Attempts until an answer comes, `forMs` are over, the error is no passing one, or the coordinator is closed. */
  async persist<Answer>(forMs: number, use: (broker: Broker) => Promise<Answer>): Promise<Answer> {
    const giveUpAt = Date.now() + forMs
    for (let failures = 1; ; failures++) {
      try {
        return await this.request(use)
      } catch (error) {
        if (!isPassing(error) || this.closed || Date.now() > giveUpAt) throw error
        await this.backOff(failures)
      }
    }
  }

  /** A pause before the next attempt: 50 ms to 1 s. Also refreshes kafkajs' view of the cluster. */
  async backOff(failures: number): Promise<void> {
    await this.naps.take(Math.min(1000, 50 * 2 ** Math.min(failures - 1, 5)))
    // Brokers that are gone must leave kafkajs' list, or it keeps asking them for the coordinator.
    if (!this.closed) await this.interception.original.refreshMetadata().catch(() => {})
  }

  /** Ends what is parked at the coordinator. The connection is opened anew when it is needed. */
  dropJoins(): void {
    this.forJoins.drop()
  }

  open(): void {
    this.closed = false
  }

  close(): void {
    this.closed = true
    this.naps.wake()
    this.forJoins.drop()
    this.forAllElse.drop()
  }

  private async attempt<Answer>(connection: OwnConnection, use: (broker: Broker) => Promise<Answer>): Promise<Answer> {
    let address: Promise<Address> | undefined
    try {
      address = this.address ??= locate(this.interception.cluster, this.groupId)
      const broker = await connection.at(await address)
      return await use(broker)
    } catch (error) {
      if (isPassing(error)) {
        if (this.address === address) this.address = null
        connection.drop()
      }
      throw error
    }
  }
}

/** Asks any broker, without connecting kafkajs to the coordinator. */
async function locate(cluster: Cluster, groupId: string): Promise<Address> {
  if (typeof cluster.findGroupCoordinatorMetadata === 'function') {
    const metadata = cluster.findGroupCoordinatorMetadata({ groupId, coordinatorType: groupCoordinator })
    const { coordinator } = await metadata.catch(error => {
      // It ends in kafkajs if the outage lasts.
      throw withRestart(error)
    })
    return coordinator
  }
  const { nodeId, connectionPool } = await cluster.findGroupCoordinator({ groupId })
  return { nodeId, host: String(connectionPool?.host), port: Number(connectionPool?.port) }
}
