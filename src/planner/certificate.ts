import { cellStarts, countByCell, indexCells } from './cells'
import { type Group, partitionCount } from './group'
import { listOf, type PartitionLists } from './lists'
import type { Network } from './network'
import { priceFromRows } from './prices'
import type { Proven } from './proven'
import { rackNetwork, setFlows } from './rack-network'
import { inverse, renumber, splitByRacks } from './rack-rows'
import { noRacks, type Racks } from './racks'
import { atOnce } from './steps'

/**
 * Checks that a plan is the best one, from the plan itself and the prices that were found with it; how they were found
 * plays no role. Returns what is wrong, which should be nothing.
 *
 * 1. Valid: every partition is with exactly one subscriber.
 * 2. Balance: a partition costs 2h - 1 at a node of level h. Every topic is used only where that is cheapest, and no
 *    member has more or fewer than pays off at its price: no other plan has a better balance, and all plans as good use
 *    only what is of one level.
 * 3. Kept: a member that has x of a row and owned y of it has min(x, y) of its own, so that counts tell the moves.
 * 4. Among those: at the given prices no arc of the network has a negative reduced cost, so no exchange of partitions,
 *    in whatever circle of members, gains anything in racks, moves or spread.
 *
 * Both are the duality of linear programs: prices that fit a plan bound what any other could reach.
 */
export function findFlaws(group: Group, believed: PartitionLists, racks: Racks | undefined, proven: Proven): string[] {
  const { lists, level } = proven
  const flaws = findInvalid(group, lists)
  if (flaws.length > 0) return flaws
  flaws.push(...findImbalance(group, lists, level))
  if (flaws.length > 0) return flaws
  flaws.push(...findNeedless(group, believed, racks ?? noRacks(group), lists))
  if (flaws.length > 0) return flaws
  return findCheaper(pricedNetwork(group, believed, racks ?? noRacks(group), proven))
}

/** Members that got a partition of another in place of one of their own in the same row. */
function findNeedless(group: Group, believed: PartitionLists, { rowOf }: Racks, lists: PartitionLists): string[] {
  const flaws: string[] = []
  for (let m = 0; m < group.memberIds.length; m++) {
    const mine = new Set(listOf(believed, m))
    const own = new Map<number, number>()
    for (const p of mine) own.set(rowOf[p]!, (own.get(rowOf[p]!) ?? 0) + 1)
    const has = new Map<number, { all: number; kept: number }>()
    for (const p of listOf(lists, m)) {
      const row = has.get(rowOf[p]!) ?? { all: 0, kept: 0 }
      has.set(rowOf[p]!, { all: row.all + 1, kept: row.kept + (mine.has(p) ? 1 : 0) })
    }
    for (const [row, { all, kept }] of has) {
      if (kept !== Math.min(all, own.get(row) ?? 0))
        flaws.push(`member ${m} keeps ${kept} of row ${row}, of which it owned ${own.get(row) ?? 0} and has ${all}`)
    }
  }
  return flaws
}

function findInvalid(group: Group, lists: PartitionLists): string[] {
  const seen = new Uint8Array(partitionCount(group))
  for (const p of lists.ids) seen[p]!++
  const flaws: string[] = []
  seen.forEach((times, p) => {
    if (times !== 1) flaws.push(`partition ${p} is assigned ${times} times`)
  })
  for (let m = 0; m < group.memberIds.length; m++) {
    const topics = new Set(group.subscriptions[group.subscriptionOf[m]!])
    for (let t = 0, i = lists.start[m]!; i < lists.start[m + 1]!; i++) {
      while (group.topicStart[t + 1]! <= lists.ids[i]!) t++
      if (!topics.has(t)) flaws.push(`member ${m} does not subscribe partition ${lists.ids[i]}`)
    }
  }
  return flaws
}

function findImbalance(group: Group, lists: PartitionLists, level: Int32Array): string[] {
  const topics = group.topics.length
  const start = cellStarts(group)
  const counts = atOnce(steps => countByCell(group, start, lists, steps))
  const flaws: string[] = []
  for (let m = 0; m < group.memberIds.length; m++) {
    const subscription = group.subscriptions[group.subscriptionOf[m]!]!
    const h = level[topics + m]!
    const load = lists.start[m + 1]! - lists.start[m]!
    if (subscription.length > 0 && load !== h && load !== h - 1) flaws.push(`member ${m} of level ${h} has ${load}`)
    subscription.forEach((t, i) => {
      if (h < level[t]!) flaws.push(`topic ${t} of level ${level[t]} is cheaper at member ${m} of level ${h}`)
      if (h > level[t]! && counts[start[m]! + i]! > 0) flaws.push(`topic ${t} is too dear at member ${m} of level ${h}`)
    })
  }
  return flaws
}

function pricedNetwork(group: Group, believed: PartitionLists, racks: Racks, { lists, level, price }: Proven): Network {
  return atOnce(function* (steps) {
    const split = yield* splitByRacks(group, racks, steps)
    const start = cellStarts(split.group)
    const numbers = inverse(split.original)
    const cells = yield* indexCells(group, cellStarts(group), steps)
    const countRows = function* (of: PartitionLists) {
      return yield* countByCell(split.group, start, yield* renumber(of, numbers, steps), steps)
    }
    const network = yield* rackNetwork(group, cells, racks, yield* countRows(believed), level, steps)
    setFlows(network, cells, racks, yield* countRows(lists))
    for (let m = 0; m < network.members; m++) {
      const load = lists.start[m + 1]! - lists.start[m]!
      network.extra[m] = load > 0 && load === level[group.topics.length + m] ? 1 : 0
    }
    network.potential.set(price)
    yield* priceFromRows(network, steps)
    return network
  })
}

/** Arcs that can be used at a negative reduced cost. */
function findCheaper(network: Network): string[] {
  const { rows, members, pairs, tail, head, kind, own, flow, hubOf, extra, potential, costs } = network
  const flaws: string[] = []
  for (let arc = 0; arc < tail.length; arc++) {
    const difference = potential[tail[arc]!]! - potential[head[arc]!]!
    const x = flow[arc]!
    const convex = head[arc]! < rows + members ? 1 : 0
    const next = costs.kind[kind[arc]!]! - (x < own[arc]! ? costs.keep : 0) + convex * (2 * x + 1)
    const last = costs.kind[kind[arc]!]! - (x <= own[arc]! ? costs.keep : 0) + convex * (2 * x - 1)
    // Written so that NaN is a flaw too.
    if (!(next + difference >= 0)) flaws.push(`one more from ${tail[arc]} to ${head[arc]} costs ${next + difference}`)
    if (x > 0 && !(last + difference <= 0))
      flaws.push(`one less from ${tail[arc]} to ${head[arc]} gains ${last + difference}`)
  }
  for (let m = 0; m < members; m++) {
    const hub = hubOf[rows + m]!
    if (hub < 0) continue
    const above = potential[rows + m]! - potential[rows + members + pairs + hub]!
    if (!(extra[m] === 1 ? above <= 0 : above >= 0))
      flaws.push(`member ${m} should change places with another of its level`)
  }
  return flaws
}
