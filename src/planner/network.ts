/**
 * The network in which a plan is repaired. Its nodes, in this order: rows (a topic, or its partitions on the same racks),
 * members, pairs (a member and a topic of several rows; only with racks), hubs (one for each level).
 *
 * Partitions flow along arcs from row to member, or from row to pair to member. Arcs are sorted by their head.
 */
export interface Network {
  readonly rows: number
  readonly members: number
  readonly pairs: number
  readonly hubs: number
  /** By arc: the node it leaves and the node it enters. */
  readonly tail: Int32Array
  readonly head: Int32Array
  /** The arcs that enter node v (a member or a pair): inStart[v - rows] .. inStart[v - rows + 1] - 1. */
  readonly inStart: Int32Array
  /** The arcs that leave row r: outArcs[outStart[r]] .. outArcs[outStart[r + 1] - 1]. */
  readonly outStart: Int32Array
  readonly outArcs: Int32Array
  /** By pair: the arc that leaves it. */
  readonly pairArc: Int32Array
  /** By arc: see `ArcKind`. */
  readonly kind: Uint8Array
  /** By arc: how many of its partitions the member owned, and how many it carries. */
  readonly own: Int32Array
  readonly flow: Int32Array
  /** By row and by member: the number of the hub of its level, -1 for members without topics. */
  readonly hubOf: Int32Array
  /** By member: 1 if it has the larger count of its level. Then units can enter it from the hub, else leave to the hub. */
  readonly extra: Uint8Array
  /** By row: partitions still to be placed; negative: placed too often. */
  readonly need: Int32Array
  /** By node: its price. */
  readonly potential: Float64Array
  readonly costs: Costs
}

/** What an arc costs for each partition beside what its flow costs. */
export const ArcKind = { plain: 0, mismatch: 1, dead: 2 } as const

/**
 * What the x-th unit of an arc costs: kind[its kind] - (x <= own ? keep : 0) + (the arc enters a member ? 2x - 1 : 0).
 *
 * A mismatch outweighs any number of moves, a move any spread, on every simple cycle; all sums stay
 * exact in doubles.
 */
export interface Costs {
  /** What keeping a partition is worth. */
  readonly keep: number
  /** By arc kind. */
  readonly kind: Float64Array
}

export function costsFor(partitions: number, members: number, rows: number, pairs: number): Costs {
  const keep = 2 ** Math.ceil(Math.log2(4 * partitions + 2 * (members + rows + pairs) + 8))
  const arcs = 2 * (Math.min(members + pairs, rows) + 1)
  const mismatch = keep * 2 ** Math.ceil(Math.log2(arcs + 2))
  return { keep, kind: Float64Array.of(0, mismatch, Number.POSITIVE_INFINITY) }
}
