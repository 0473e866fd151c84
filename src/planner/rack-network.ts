import type { Cells } from './cells'
import type { Group } from './group'
import { ArcKind, costsFor, type Network } from './network'
import { numberHubs } from './plain-network'
import type { Racks } from './racks'
import type { Steps, Work } from './steps'

/**
 * The network of a group whose racks matter. A topic of one row has arcs from the row to its subscribers, as without
 * racks. A topic of several rows has a pair for each subscriber: the rows' arcs enter the pair, where keeping and racks
 * count, and one arc leads on to the member, where the spread of the topic counts. Arc e < cells is cell e.
 *
 * Flows, extras and needs are still empty: rack-start.ts or a finished plan sets them.
 *
 * @param own believed claims by cell of the split group (member, row)
 */
export function* rackNetwork(
  group: Group,
  cells: Cells,
  racks: Racks,
  own: Int32Array,
  level: Int32Array,
  steps: Steps,
): Work<Network> {
  const topics = group.topics.length
  const members = group.memberIds.length
  const rows = racks.rowStart[topics]!
  const rowsOf = (t: number) => racks.rowStart[t + 1]! - racks.rowStart[t]!
  const cellCount = cells.topic.length

  let pairs = 0
  let arcs = cellCount
  const isAlive = (e: number) => level[cells.topic[e]!] === level[cells.member[e]!]
  for (let e = 0; e < cellCount; e++) {
    if (!isAlive(e) || rowsOf(cells.topic[e]!) === 1) continue
    pairs++
    arcs += rowsOf(cells.topic[e]!)
  }
  if (steps.spent(2 * cellCount)) yield

  const tail = new Int32Array(arcs)
  const head = new Int32Array(arcs)
  const kind = new Uint8Array(arcs)
  const ownOfArc = new Int32Array(arcs)
  const inStart = new Int32Array(members + pairs + 1)
  inStart.set(cells.start)
  const pairArc = new Int32Array(pairs)
  let arc = cellCount
  let pair = 0
  let rowCell = 0
  for (let e = 0; e < cellCount; e++) {
    const t = cells.topic[e]!
    const m = cells.member[e]! - topics
    const firstRow = racks.rowStart[t]!
    head[e] = rows + m
    tail[e] = firstRow
    if (!isAlive(e)) kind[e] = ArcKind.dead
    else if (rowsOf(t) === 1) {
      kind[e] = racks.mismatch(m, firstRow) ? ArcKind.mismatch : ArcKind.plain
      ownOfArc[e] = own[rowCell]!
    } else {
      tail[e] = rows + members + pair
      pairArc[pair] = e
      for (let r = 0; r < rowsOf(t); r++, arc++) {
        tail[arc] = firstRow + r
        head[arc] = rows + members + pair
        kind[arc] = racks.mismatch(m, firstRow + r) ? ArcKind.mismatch : ArcKind.plain
        ownOfArc[arc] = own[rowCell + r]!
      }
      inStart[members + ++pair] = arc
    }
    rowCell += rowsOf(t)
    if (steps.spent(4 * rowsOf(t))) yield
  }
  const { outStart, outArcs } = arcsByRow(rows, tail, kind)
  if (steps.spent(4 * arcs)) yield
  const { hubOf, hubs } = numberHubs(level.subarray(topics))
  const rowHub = new Int32Array(rows)
  // Hubs are numbered by the members; every level of a topic is the level of some member.
  const hubOfLevel = new Map(Array.from(hubOf, (hub, m) => [level[topics + m]!, hub]))
  for (let t = 0; t < topics; t++) rowHub.fill(hubOfLevel.get(level[t]!)!, racks.rowStart[t], racks.rowStart[t + 1])
  const nodeHub = new Int32Array(rows + members)
  nodeHub.set(rowHub)
  nodeHub.set(hubOf, rows)
  return {
    rows,
    members,
    pairs,
    hubs,
    tail,
    head,
    inStart,
    outStart,
    outArcs,
    pairArc,
    kind,
    own: ownOfArc,
    flow: new Int32Array(arcs),
    hubOf: nodeHub,
    extra: new Uint8Array(members),
    need: new Int32Array(rows),
    potential: new Float64Array(rows + members + pairs + hubs),
    costs: costsFor(group.topicStart[topics]!, members, rows, pairs),
  }
}

function arcsByRow(rows: number, tail: Int32Array, kind: Uint8Array) {
  const outStart = new Int32Array(rows + 1)
  const leavesRow = (arc: number) => tail[arc]! < rows && kind[arc] !== ArcKind.dead
  for (let arc = 0; arc < tail.length; arc++) if (leavesRow(arc)) outStart[tail[arc]! + 1]!++
  for (let r = 0; r < rows; r++) outStart[r + 1]! += outStart[r]!
  const outArcs = new Int32Array(outStart[rows]!)
  const next = outStart.slice(0, rows)
  for (let arc = 0; arc < tail.length; arc++) if (leavesRow(arc)) outArcs[next[tail[arc]!]!++] = arc
  return { outStart, outArcs }
}

/** The flows of a rack network by cell of the split group. */
export function countsByRow(network: Network, cells: Cells, racks: Racks): Int32Array {
  const counts = new Int32Array(rowCellCount(cells, racks))
  forEachRowCell(network, cells, racks, (arc, rowCell) => {
    counts[rowCell] = network.flow[arc]!
  })
  return counts
}

/** Sets the flows from counts by cell of the split group; arcs that no balanced plan uses stay empty. */
export function setFlows(network: Network, cells: Cells, racks: Racks, counts: Int32Array): void {
  forEachRowCell(network, cells, racks, (arc, rowCell) => {
    network.flow[arc] = counts[rowCell]!
  })
  for (let pair = 0; pair < network.pairs; pair++) {
    let sum = 0
    const node = network.members + pair
    for (let arc = network.inStart[node]!; arc < network.inStart[node + 1]!; arc++) sum += network.flow[arc]!
    network.flow[network.pairArc[pair]!] = sum
  }
}

function rowCellCount(cells: Cells, { rowStart }: Racks): number {
  let count = 0
  for (const t of cells.topic) count += rowStart[t + 1]! - rowStart[t]!
  return count
}

/** Visits the arc that leaves the row of each cell of the split group; cells between two levels have none. */
function forEachRowCell(
  { tail, kind, rows, inStart }: Network,
  cells: Cells,
  { rowStart }: Racks,
  visit: (arc: number, rowCell: number) => void,
): void {
  for (let e = 0, rowCell = 0; e < cells.topic.length; e++) {
    const rowCount = rowStart[cells.topic[e]! + 1]! - rowStart[cells.topic[e]!]!
    if (kind[e] !== ArcKind.dead) {
      const first = tail[e]! < rows ? e : inStart[tail[e]! - rows]!
      for (let r = 0; r < rowCount; r++) visit(first + r, rowCell + r)
    }
    rowCell += rowCount
  }
}
