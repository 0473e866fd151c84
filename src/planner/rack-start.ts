import { waterlines } from './alone'
import type { Cells } from './cells'
import type { Group } from './group'
import { NodeHeap } from './heap'
import type { Network } from './network'
import type { Racks } from './racks'
import type { Steps, Work } from './steps'

/**
 * The start where racks matter: as in alone.ts every member by itself takes what is best for it at the waterlines'
 * prices, here one partition after the other, the cheapest next.
 */
export function* startAloneWithRacks(
  group: Group,
  cells: Cells,
  racks: Racks,
  level: Int32Array,
  network: Network,
  steps: Steps,
): Work<void> {
  const topics = group.topics.length
  const { rows, members, need, potential } = network
  const waterline = waterlines(group, level)
  for (let t = 0; t < topics; t++) potential.fill(-2 * waterline[t]!, racks.rowStart[t], racks.rowStart[t + 1])
  for (const row of racks.rowOf) need[row]!++

  const owned = new Int32Array(members)
  const nextCost = new Float64Array(members)
  const taker = new Taker(network, cells)
  for (let m = 0; m < members; m++) {
    const h = level[topics + m]!
    if (h === 0) continue
    taker.start(m)
    for (let taken = 0; taken < h - 1; taken++) if (steps.spent(taker.take())) yield
    nextCost[m] = taker.cheapest()
    owned[m] = taker.owned
  }

  const wanted = new Int32Array(network.hubs)
  for (let r = 0; r < rows; r++) wanted[network.hubOf[r]!]! += need[r]!
  const order = Array.from(nextCost, (_, m) => m).filter(m => level[topics + m] !== 0)
  order.sort((a, b) => nextCost[a]! - nextCost[b]! || owned[b]! - owned[a]! || a - b)
  for (const m of order) {
    const hub = network.hubOf[rows + m]!
    if (wanted[hub] === 0) continue
    wanted[hub]!--
    network.extra[m] = 1
    taker.start(m)
    if (steps.spent(taker.take())) yield
  }
}

/** Lets one member at a time take partitions. */
class Taker {
  owned = 0
  private first = 0
  private readonly cost: Float64Array
  private readonly heap: NodeHeap

  constructor(
    private readonly network: Network,
    private readonly cells: Cells,
  ) {
    let widest = 0
    for (let m = 0; m < network.members; m++) widest = Math.max(widest, cells.start[m + 1]! - cells.start[m]!)
    this.cost = new Float64Array(widest)
    this.heap = new NodeHeap(widest, this.cost)
  }

  /** Turns to a member, with what it has taken so far. */
  start(m: number): void {
    this.heap.clear()
    this.owned = 0
    this.first = this.cells.start[m]!
    for (let i = 0; this.first + i < this.cells.start[m + 1]!; i++) {
      this.cost[i] = this.costOf(this.first + i)
      if (this.cost[i] !== Number.POSITIVE_INFINITY) this.heap.raise(i)
      this.owned += this.ownedIn(this.first + i)
    }
  }

  cheapest(): number {
    return this.cost[this.heap.top]!
  }

  /** Takes the cheapest next partition; returns the steps it took. */
  take(): number {
    const i = this.heap.pop()
    const arc = this.first + i
    const { network } = this
    const source = this.sourceOf(arc)
    network.flow[arc]!++
    if (source !== arc) network.flow[source]!++
    network.need[network.tail[source]!]!--
    this.cost[i] = this.costOf(arc)
    this.heap.raise(i)
    return 8
  }

  private costOf(arc: number): number {
    const { network } = this
    const fixed = this.rowCost(this.sourceOf(arc))
    return fixed + 2 * network.flow[arc]! + 1
  }

  /** The arc from a row through which the next unit comes: of a pair's arcs the cheapest, ties by need. */
  private sourceOf(arc: number): number {
    const { tail, rows, inStart, need } = this.network
    const from = tail[arc]!
    if (from < rows) return arc
    let best = inStart[from - rows]!
    for (let k = best + 1; k < inStart[from - rows + 1]!; k++) {
      const less = this.rowCost(k) - this.rowCost(best)
      if (less < 0 || (less === 0 && need[tail[k]!]! > need[tail[best]!]!)) best = k
    }
    return best
  }

  private rowCost(arc: number): number {
    const { costs, kind, flow, own, potential, tail } = this.network
    return potential[tail[arc]!]! + costs.kind[kind[arc]!]! - (flow[arc]! < own[arc]! ? costs.keep : 0)
  }

  private ownedIn(arc: number): number {
    const { tail, rows, inStart, own } = this.network
    const from = tail[arc]!
    if (from < rows) return own[arc]!
    let sum = 0
    for (let k = inStart[from - rows]!; k < inStart[from - rows + 1]!; k++) sum += own[k]!
    return sum
  }
}
