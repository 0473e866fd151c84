/** A Kafka for tests and demos, whatever it runs on: a process of this machine or a container. */

export interface KafkaOptions {
  /**
   * 1, or a cluster whose nodes are broker and controller in one, with everything replicated to all of them. Of two,
   * none can be spared.
   */
  nodes?: 1 | 2 | 3
  /** `broker.rack` of each node. */
  racks?: string[]
  /**
   * How long a node may be silent until it is fenced: 9,000 ms by default, as in Kafka, since a busy machine can keep a
   * node that lives from its heartbeats for a second or two. A node that is killed and started again is refused for as
   * long (DUPLICATE_BROKER_REGISTRATION), and another one takes over no sooner: tests that kill nodes make it short.
   */
  brokerSessionMs?: number
  /** Further broker properties, by their names in server.properties. */
  properties?: Record<string, string>
}

export interface KafkaNode {
  /** node.id, from 1. */
  readonly id: number
  /** host:port as clients on this machine reach it; the same for the node's whole life. */
  readonly address: string
  /** SIGKILL: no farewell to anybody. */
  kill(): Promise<void>
  /** Starts a killed node again with its data and its port, and waits until it serves. */
  start(): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
  /** The node's own log so far. */
  log(): Promise<string>
}

export interface RunningKafka {
  readonly kind: 'process' | 'container'
  readonly nodes: readonly KafkaNode[]
  /** Addresses of all nodes, for `new Kafka({ brokers })`. */
  readonly brokers: string[]
  /** For containers: how other containers reach the nodes. Those with the labels are removed together with them. */
  readonly network?: { readonly name: string; readonly brokers: string[]; readonly labels: Record<string, string> }
  /** Ends every node and removes its data. */
  remove(): Promise<void>
}

/** What is missing on this machine, what was tried, and the command that helps. */
export class KafkaUnavailable extends Error {
  override readonly name = 'KafkaUnavailable'
}
