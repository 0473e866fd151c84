import type { Start } from './alone'
import type { Cells } from './cells'
import { ArcKind, costsFor, type Network } from './network'

/** The network of a group without racks: rows are topics, arcs are cells. */
export function plainNetwork(
  partitions: number,
  cells: Cells,
  own: Int32Array,
  level: Int32Array,
  start: Start,
): Network {
  const rows = start.need.length
  const members = cells.start.length - 1
  const { hubOf, hubs } = numberHubs(level)
  const kind = new Uint8Array(cells.topic.length)
  for (let e = 0; e < kind.length; e++) {
    if (level[cells.topic[e]!] !== level[cells.member[e]!]) kind[e] = ArcKind.dead
  }
  const potential = new Float64Array(rows + members + hubs)
  for (let t = 0; t < rows; t++) potential[t] = -2 * start.waterline[t]!
  return {
    rows,
    members,
    pairs: 0,
    hubs,
    tail: cells.topic,
    head: cells.member,
    inStart: cells.start,
    outStart: cells.topicStart,
    outArcs: cells.byTopic,
    pairArc: new Int32Array(0),
    kind,
    own,
    flow: start.counts,
    hubOf,
    extra: start.extra,
    need: start.need,
    potential,
    costs: costsFor(partitions, members, rows, 0),
  }
}

/** One hub for each level, by node; -1 for members without topics. */
export function numberHubs(level: Int32Array): { hubOf: Int32Array; hubs: number } {
  const numbers = new Map<number, number>()
  const hubOf = level.map(h => {
    if (h === 0) return -1
    let number = numbers.get(h)
    if (number === undefined) numbers.set(h, (number = numbers.size))
    return number
  })
  return { hubOf, hubs: numbers.size }
}
