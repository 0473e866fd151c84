/**
 * The one place that puts itself between a consumer and its cluster.
 *
 * kafkajs gives each consumer a Cluster object of its own and always calls it as `cluster.x()`, so instance properties
 * see every broker that the consumer uses and touch no other consumer. Brokers are wrapped by proxies: only the calls
 * named by a layer pass through it, all else reaches the broker untouched.
 *
 * Layers are stacked: the layer added last is called first, and its `next` is the layer below or the real call.
 */
import { quietBroker } from './broker-view'
import { mendConnections } from './connections'
import type {
  Broker,
  Cluster,
  CommittedOffsets,
  FetchRequest,
  FetchResponse,
  HeartbeatRequest,
  JoinGroupRequest,
  JoinGroupResponse,
  LeaveGroupRequest,
  OffsetCommitRequest,
  OffsetFetchRequest,
  SyncGroupRequest,
  SyncGroupResponse,
} from './internals'
import { withRestart } from './no-coordinator'

type Call<Request, Response> = (
  next: (request: Request) => Promise<Response>,
  request: Request,
  broker: Broker,
) => Promise<Response>

/** What a layer wants to see or change. `broker` is always the real one, never a proxy. */
export interface BrokerLayer {
  joinGroup?: Call<JoinGroupRequest, JoinGroupResponse>
  syncGroup?: Call<SyncGroupRequest, SyncGroupResponse>
  heartbeat?: Call<HeartbeatRequest, unknown>
  leaveGroup?: Call<LeaveGroupRequest, unknown>
  offsetCommit?: Call<OffsetCommitRequest, unknown>
  offsetFetch?: Call<OffsetFetchRequest, unknown>
  fetch?: Call<FetchRequest, FetchResponse>
  /** Whether kafkajs should take the broker for connected; undefined leaves the answer to the layer below. */
  isConnected?(broker: Broker): boolean | undefined
  /** A broker was handed to kafkajs for the first time. */
  seen?(broker: Broker): void
  /** kafkajs looks for a connected broker. */
  findBroker?(next: () => Promise<Broker>, nodeId: number | string): Promise<Broker>
  /** kafkajs asks for fresh metadata at once: the leader before it plans, and all after most errors. */
  refreshMetadata?(next: () => Promise<void>): Promise<void>
  /** kafkajs asks for fresh metadata if they are due: at a start, and first of all in each fetch. */
  refreshMetadataIfNecessary?(next: () => Promise<void>): Promise<void>
  /** kafkajs looks for the group's coordinator, each time that it joins. */
  findGroupCoordinator?(next: () => Promise<Broker>): Promise<Broker>
  /** kafkajs looks for which brokers there are to fetch from: before each fetch, among others. */
  getNodeIds?(next: () => (number | string)[]): (number | string)[]
  /** Before the consumer's connections are closed, at the end or before a restart; awaited. */
  disconnect?(): Promise<void> | void
  /** The table of committed offsets by topic and partition that kafkajs' OffsetManager works on. */
  committedOffsets?(next: () => CommittedOffsets): CommittedOffsets
}

const brokerCalls = [
  'joinGroup',
  'syncGroup',
  'heartbeat',
  'leaveGroup',
  'offsetCommit',
  'offsetFetch',
  'fetch',
] as const

const realBroker = Symbol('kafkajs-sticky-assignor.realBroker')

/** The broker behind a proxy of ours, or the broker itself. */
export function unwrapBroker(broker: Broker): Broker {
  return ((broker as unknown as Record<symbol, unknown>)[realBroker] as Broker | undefined) ?? broker
}

/** The intercepted cluster: where layers are added and where the untouched calls are. */
export interface Interception {
  readonly cluster: Cluster
  /** The cluster's own methods, bound, as they were before. */
  readonly original: Pick<
    Cluster,
    'findBroker' | 'findGroupCoordinator' | 'refreshMetadata' | 'refreshMetadataIfNecessary' | 'disconnect'
  >
  addLayer(layer: BrokerLayer): void
}

const interceptions = new WeakMap<Cluster, Interception>()

/**
 * Starts intercepting a consumer's cluster, once: assigners of the same consumer share the interception.
 */
export function interceptCluster(cluster: Cluster): Interception {
  const known = interceptions.get(cluster)
  if (known) return known

  const layers: BrokerLayer[] = []
  const proxies = new WeakMap<Broker, Broker>()
  const findGroupCoordinator = cluster.findGroupCoordinator.bind(cluster)
  const original = {
    findBroker: cluster.findBroker.bind(cluster),
    // Inside it calls `this.findBroker`, which is ours by then.
    findGroupCoordinator: async (options: { groupId: string }) => {
      try {
        return unwrapBroker(await findGroupCoordinator(options))
      } catch (error) {
        throw withRestart(error)
      }
    },
    refreshMetadata: cluster.refreshMetadata.bind(cluster),
    refreshMetadataIfNecessary: cluster.refreshMetadataIfNecessary.bind(cluster),
    disconnect: cluster.disconnect.bind(cluster),
  }

  mendConnections(cluster)
  const wrap = (broker: Broker): Broker => {
    if (!broker || unwrapBroker(broker) !== broker) return broker
    const wrapped = proxies.get(broker)
    if (wrapped) return wrapped
    const proxy = proxyBroker(broker, layers)
    proxies.set(broker, proxy)
    for (const layer of layers) layer.seen?.(broker)
    return proxy
  }

  // kafkajs passes a coordinator that we wrapped back as the argument of findBroker: only nodeId is read from it.
  cluster.findBroker = async options =>
    wrap(
      await throughLayers(
        layers,
        layer => layer.findBroker && (next => layer.findBroker!(next, options.nodeId)),
        () => original.findBroker(options),
      ),
    )
  cluster.findGroupCoordinator = async options =>
    wrap(
      await throughLayers(
        layers,
        layer => layer.findGroupCoordinator,
        () => original.findGroupCoordinator(options),
      ),
    )
  if (typeof cluster.getNodeIds === 'function') {
    const getNodeIds = cluster.getNodeIds.bind(cluster)
    cluster.getNodeIds = () => throughLayers(layers, layer => layer.getNodeIds, getNodeIds)
  }
  cluster.refreshMetadata = () => throughLayers(layers, layer => layer.refreshMetadata, original.refreshMetadata)
  cluster.refreshMetadataIfNecessary = () =>
    throughLayers(layers, layer => layer.refreshMetadataIfNecessary, original.refreshMetadataIfNecessary)
  cluster.disconnect = async () => {
    for (const layer of [...layers].reverse()) await layer.disconnect?.()
    await original.disconnect()
  }
  const committedOffsets = cluster.committedOffsets?.bind(cluster)
  if (committedOffsets)
    cluster.committedOffsets = options =>
      throughLayers(
        layers,
        layer => layer.committedOffsets,
        () => committedOffsets(options),
      )

  const interception: Interception = {
    cluster,
    original,
    addLayer: layer => {
      layers.push(layer)
    },
  }
  interceptions.set(cluster, interception)
  return interception
}

function proxyBroker(broker: Broker, layers: readonly BrokerLayer[]): Broker {
  const calls = new Map<PropertyKey, (request: never) => Promise<unknown>>()
  for (const name of brokerCalls) calls.set(name, request => callThroughLayers(broker, layers, name, request))
  return new Proxy(broker, {
    get(target, key) {
      if (key === realBroker) return target
      const call = calls.get(key)
      if (call) return call
      if (key === 'isConnected') return () => isConnected(target, layers)
      const value = Reflect.get(target, key, target) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function isConnected(broker: Broker, layers: readonly BrokerLayer[]): boolean {
  for (let i = layers.length - 1; i >= 0; i--) {
    const said = layers[i]!.isConnected?.(broker)
    if (said !== undefined) return said
  }
  return broker.isConnected()
}

/** The call of the topmost layer that has one, which may pass on to the one below, and in the end to the real one. */
function throughLayers<Result>(
  layers: readonly BrokerLayer[],
  pick: (layer: BrokerLayer) => ((next: () => Result) => Result) | undefined,
  real: () => Result,
): Result {
  const from = (level: number): Result => {
    for (let i = level; i >= 0; i--) {
      const layer = layers[i]!
      const call = pick(layer)
      if (call) return call.call(layer, () => from(i - 1))
    }
    return real()
  }
  return from(layers.length - 1)
}

function callThroughLayers(
  broker: Broker,
  layers: readonly BrokerLayer[],
  name: (typeof brokerCalls)[number],
  request: never,
): Promise<unknown> {
  const from = (level: number) => {
    for (let i = level; i >= 0; i--) {
      const layer = layers[i]!
      const call = layer[name] as Call<never, unknown> | undefined
      if (call) return (passed: never): Promise<unknown> => call.call(layer, from(i - 1), passed, broker)
    }
    // To these calls an error is how the coordinator starts a rebalance: none that kafkajs should log.
    const called = name === 'heartbeat' || name === 'syncGroup' ? quietBroker(broker) : broker
    return (passed: never): Promise<unknown> => (called[name] as (request: never) => Promise<unknown>)(passed)
  }
  return from(layers.length - 1)(request)
}
