import { NodeHeap } from './heap'
import type { Network } from './network'
import type { Steps, Work } from './steps'

/** Dijkstra's search over reduced costs, from all open rows at once to the nearest row placed too often. */
export class NearestSearch {
  private readonly distance: Float64Array
  private readonly done: Uint8Array
  private readonly heap: NodeHeap
  /** Nodes at the current distance that need not go through the heap. */
  private readonly ready: Int32Array
  private readyCount = 0
  /** Nodes whose distance is set, to be reset afterwards. */
  private readonly touched: Int32Array
  private touchedCount = 0
  private current = 0
  /** A row placed too often was reached at the current distance. */
  private found = false
  private readonly hubMembers: Int32Array[]

  constructor(private readonly network: Network) {
    const nodes = network.potential.length
    this.distance = new Float64Array(nodes).fill(Number.POSITIVE_INFINITY)
    this.done = new Uint8Array(nodes)
    this.heap = new NodeHeap(nodes, this.distance)
    this.ready = new Int32Array(nodes)
    this.touched = new Int32Array(nodes)
    this.hubMembers = membersByHub(network)
  }

  /** Lowers the prices of all nodes nearer than the nearest goal by what they are nearer. */
  *run(sources: readonly number[], steps: Steps): Work<void> {
    const { network, distance, done, heap, ready, touched } = this
    this.current = 0
    this.found = false
    for (const row of sources) this.reach(row, 0)
    while (!this.found) {
      let node: number
      if (this.readyCount > 0) node = ready[--this.readyCount]!
      else if (heap.isEmpty) throw new Error('planner: a row placed too often cannot be reached')
      else {
        node = heap.pop()
        this.current = distance[node]!
        if (node < network.rows && network.need[node]! < 0) break
      }
      if (done[node] === 1) continue
      done[node] = 1
      if (steps.spent(this.expand(node))) yield
    }
    for (let i = 0; i < this.touchedCount; i++) {
      const node = touched[i]!
      if (distance[node]! < this.current) network.potential[node]! += distance[node]! - this.current
      distance[node] = Number.POSITIVE_INFINITY
      done[node] = 0
    }
    this.touchedCount = 0
    this.readyCount = 0
    heap.clear()
  }

  private reach(node: number, distance: number): void {
    if (this.distance[node] === Number.POSITIVE_INFINITY) this.touched[this.touchedCount++] = node
    this.distance[node] = distance
    if (distance > this.current) {
      this.heap.raise(node)
      return
    }
    if (this.heap.has(node)) this.heap.raise(node)
    else this.ready[this.readyCount++] = node
    if (node < this.network.rows && this.network.need[node]! < 0) this.found = true
  }

  /** Returns the steps it took. */
  private expand(node: number): number {
    const { rows, members, pairs } = this.network
    if (node < rows) return this.leaveRow(node)
    if (node < rows + members) return this.enterBack(node, 1) + this.leaveToHub(node)
    if (node < rows + members + pairs) return this.enterBack(node, 0) + this.leavePair(node)
    return this.leaveHub(node)
  }

  private leaveRow(row: number): number {
    const { network, distance, current } = this
    const { outStart, outArcs, head, flow, own, kind, potential } = network
    const keep = network.costs.keep
    const kindCost = network.costs.kind
    const convexBelow = network.rows + network.members
    const base = current + potential[row]!
    const end = outStart[row + 1]!
    for (let k = outStart[row]!; k < end; k++) {
      const arc = outArcs[k]!
      const node = head[arc]!
      const x = flow[arc]!
      let there = base + kindCost[kind[arc]!]! - potential[node]!
      if (x < own[arc]!) there -= keep
      if (node < convexBelow) there += 2 * x + 1
      if (there < distance[node]!) this.reach(node, there)
    }
    return end - outStart[row]! + 1
  }

  /** Against the arcs that enter: a unit that came this way may go back. */
  private enterBack(node: number, convex: 0 | 1): number {
    const { network, distance, current } = this
    const { inStart, tail, flow, own, kind, potential } = network
    const keep = network.costs.keep
    const kindCost = network.costs.kind
    const base = current + potential[node]!
    const end = inStart[node - network.rows + 1]!
    const first = inStart[node - network.rows]!
    for (let arc = first; arc < end; arc++) {
      const x = flow[arc]!
      if (x === 0) continue
      const from = tail[arc]!
      let there = base - kindCost[kind[arc]!]! - potential[from]!
      if (x <= own[arc]!) there += keep
      if (convex === 1) there -= 2 * x - 1
      if (there < distance[from]!) this.reach(from, there)
    }
    return end - first + 1
  }

  private leavePair(pair: number): number {
    const { network, distance, current } = this
    const arc = network.pairArc[pair - network.rows - network.members]!
    const member = network.head[arc]!
    const there = current + network.potential[pair]! + 2 * network.flow[arc]! + 1 - network.potential[member]!
    if (there < distance[member]!) this.reach(member, there)
    return 1
  }

  private leaveToHub(member: number): number {
    const { network, distance, current } = this
    if (network.extra[member - network.rows] === 1) return 0
    const hub = network.rows + network.members + network.pairs + network.hubOf[member]!
    const there = current + network.potential[member]! - network.potential[hub]!
    if (there < distance[hub]!) this.reach(hub, there)
    return 1
  }

  private leaveHub(hub: number): number {
    const { network, distance, current } = this
    const list = this.hubMembers[hub - network.rows - network.members - network.pairs]!
    for (let i = 0; i < list.length; i++) {
      const member = list[i]!
      if (network.extra[member - network.rows] === 0) continue
      const there = current + network.potential[hub]! - network.potential[member]!
      if (there < distance[member]!) this.reach(member, there)
    }
    return list.length
  }
}

/** By hub: the nodes of its members. */
export function membersByHub({ rows, members, hubs, hubOf }: Network): Int32Array[] {
  const lists: number[][] = Array.from({ length: hubs }, () => [])
  for (let node = rows; node < rows + members; node++) if (hubOf[node]! >= 0) lists[hubOf[node]!]!.push(node)
  return lists.map(list => Int32Array.from(list))
}
