import type { KafkaOptions } from './types'

/** Broker properties that a process and a container share. */
export function commonProperties(
  id: number,
  { nodes = 1, racks, brokerSessionMs = 9000, properties }: KafkaOptions,
): Record<string, string> {
  const replication = String(nodes)
  const rack = racks?.[id - 1]
  return {
    'node.id': String(id),
    'process.roles': 'broker,controller',
    'controller.listener.names': 'CONTROLLER',
    'broker.session.timeout.ms': String(brokerSessionMs),
    // A starting node is let in by its heartbeats: the more often, the sooner it serves.
    'broker.heartbeat.interval.ms': '300',
    'offsets.topic.num.partitions': '5',
    'offsets.topic.replication.factor': replication,
    'transaction.state.log.replication.factor': replication,
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.replication.factor': replication,
    'share.coordinator.state.topic.min.isr': '1',
    'default.replication.factor': replication,
    'min.insync.replicas': '1',
    'auto.create.topics.enable': 'false',
    // The default of 128 MB in one piece does not always fit into a heap of 256 MB: the broker then ends at its start.
    'log.cleaner.dedupe.buffer.size': String(8 * 2 ** 20),
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    ...(rack === undefined ? {} : { 'broker.rack': rack }),
    ...properties,
  }
}

export interface NodePlace {
  id: number
  /** Of the listener for clients and other brokers. */
  port: number
  /** Of every node's controller, in the order of ids. */
  controllers: number[]
  data: string
}

/** server.properties of a node that is a process on 127.0.0.1. */
export function serverProperties({ id, port, controllers, data }: NodePlace, options: KafkaOptions): string {
  const properties = {
    ...commonProperties(id, options),
    'controller.quorum.voters': controllers.map((controller, i) => `${i + 1}@127.0.0.1:${controller}`).join(','),
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllers[id - 1]}`,
    'log.dirs': data,
  }
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
