import { membersByHub } from './nearest-search'
import type { Network } from './network'
import type { Steps, Work } from './steps'

/** Stands for a step to or from a hub, which uses no arc. */
const viaHub = 0x7fffffff
const none = -1

/**
 * Depth-first search for paths whose arcs all have reduced cost 0, moving one partition along each. Within a round a node
 * that led nowhere is not tried again, and no arc is looked at twice; what is missed so is found in the next round.
 */
export class PathPusher {
  /** By node: the round in which it was last entered, so that marks need no clearing. */
  private readonly round: Int32Array
  /** By node: 1 while it is on the path, or when it led nowhere. */
  private readonly blocked: Uint8Array
  /** By node: the next of its arcs to look at. */
  private readonly at: Int32Array
  private readonly path: Int32Array
  /** How path[i] was entered: an arc, `~arc` against it, or `viaHub`. */
  private readonly how: Int32Array
  private readonly hubMembers: Int32Array[]
  private rounds = 0
  private via = 0
  private steps = 0

  constructor(private readonly network: Network) {
    const nodes = network.potential.length
    this.round = new Int32Array(nodes)
    this.blocked = new Uint8Array(nodes)
    this.at = new Int32Array(nodes)
    this.path = new Int32Array(nodes)
    this.how = new Int32Array(nodes)
    this.hubMembers = membersByHub(network)
  }

  startRound(): void {
    this.rounds++
  }

  /** Moves partitions from the row to rows placed too often, as long as it needs to and a path of reduced cost 0 is left. */
  *pushFrom(source: number, steps: Steps): Work<void> {
    const { network, path, how, blocked } = this
    while (network.need[source]! > 0 && this.enter(source)) {
      let length = 1
      path[0] = source
      while (length > 0) {
        const next = this.advance(path[length - 1]!)
        if (this.steps > 1000) {
          if (steps.spent(this.steps)) yield
          this.steps = 0
        }
        if (next === none) {
          length--
          continue
        }
        this.enter(next)
        path[length] = next
        how[length++] = this.via
        if (next < network.rows && network.need[next]! < 0) break
      }
      if (length === 0) return
      for (let i = 0; i < length; i++) blocked[path[i]!] = 0
      this.move(length)
    }
  }

  /** False if the node led nowhere before in this round. */
  private enter(node: number): boolean {
    if (this.round[node] !== this.rounds) {
      this.round[node] = this.rounds
      this.at[node] = this.firstArc(node)
    } else if (this.blocked[node] === 1) return false
    this.blocked[node] = 1
    return true
  }

  private isBlocked(node: number): boolean {
    return this.round[node] === this.rounds && this.blocked[node] === 1
  }

  private firstArc(node: number): number {
    const { rows, members, pairs, outStart, inStart } = this.network
    if (node < rows) return outStart[node]!
    return node < rows + members + pairs ? inStart[node - rows]! : 0
  }

  /** The next node over an arc of reduced cost 0; `via` says how. */
  private advance(node: number): number {
    const { rows, members, pairs } = this.network
    if (node < rows) return this.leaveRow(node)
    if (node < rows + members) return this.enterBack(node, 1)
    if (node < rows + members + pairs) return this.enterBack(node, 0)
    return this.leaveHub(node)
  }

  private leaveRow(row: number): number {
    const { network, at } = this
    const { outStart, outArcs, head, flow, own, kind, potential } = network
    const keep = network.costs.keep
    const kindCost = network.costs.kind
    const convexBelow = network.rows + network.members
    const base = potential[row]!
    const end = outStart[row + 1]!
    for (let k = at[row]!; k < end; k++) {
      this.steps++
      const arc = outArcs[k]!
      const node = head[arc]!
      const x = flow[arc]!
      let reduced = base + kindCost[kind[arc]!]! - potential[node]!
      if (x < own[arc]!) reduced -= keep
      if (node < convexBelow) reduced += 2 * x + 1
      if (reduced !== 0 || this.isBlocked(node)) continue
      at[row] = k
      this.via = arc
      return node
    }
    at[row] = end
    return none
  }

  private enterBack(node: number, convex: 0 | 1): number {
    const { network, at } = this
    const { inStart, tail, flow, own, kind, potential } = network
    const keep = network.costs.keep
    const kindCost = network.costs.kind
    const base = potential[node]!
    const end = inStart[node - network.rows + 1]!
    for (let arc = at[node]!; arc < end; arc++) {
      this.steps++
      const x = flow[arc]!
      if (x === 0) continue
      const from = tail[arc]!
      let reduced = base - kindCost[kind[arc]!]! - potential[from]!
      if (x <= own[arc]!) reduced += keep
      if (convex === 1) reduced -= 2 * x - 1
      if (reduced !== 0 || this.isBlocked(from)) continue
      at[node] = arc
      this.via = ~arc
      return from
    }
    at[node] = end
    return convex === 1 ? this.leaveToHub(node) : this.leavePair(node)
  }

  private leavePair(pair: number): number {
    const { network } = this
    const arc = network.pairArc[pair - network.rows - network.members]!
    const member = network.head[arc]!
    const reduced = network.potential[pair]! + 2 * network.flow[arc]! + 1 - network.potential[member]!
    if (reduced !== 0 || this.isBlocked(member)) return none
    this.via = arc
    return member
  }

  private leaveToHub(member: number): number {
    const { network } = this
    if (network.extra[member - network.rows] === 1) return none
    const hub = network.rows + network.members + network.pairs + network.hubOf[member]!
    if (network.potential[member] !== network.potential[hub] || this.isBlocked(hub)) return none
    this.via = viaHub
    return hub
  }

  private leaveHub(hub: number): number {
    const { network, at } = this
    const list = this.hubMembers[hub - network.rows - network.members - network.pairs]!
    for (let i = at[hub]!; i < list.length; i++) {
      this.steps++
      const member = list[i]!
      if (network.extra[member - network.rows] === 0) continue
      if (network.potential[member] !== network.potential[hub] || this.isBlocked(member)) continue
      at[hub] = i
      this.via = viaHub
      return member
    }
    at[hub] = list.length
    return none
  }

  private move(length: number): void {
    const { network, path, how } = this
    const { rows, members, flow, extra, need } = network
    need[path[0]!]!--
    need[path[length - 1]!]!++
    for (let i = 1; i < length; i++) {
      const via = how[i]!
      if (via === viaHub) {
        // Into the hub: that member keeps one more. Out of it: this member has one fewer from now on.
        if (path[i]! >= rows + members) extra[path[i - 1]! - rows] = 1
        else extra[path[i]! - rows] = 0
      } else if (via >= 0) flow[via]!++
      else flow[~via]!--
    }
  }
}
