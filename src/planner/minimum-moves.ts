import { startAlone } from './alone'
import { planBest } from './best'
import { cellStarts, countByCell, indexCells } from './cells'
import type { Ownership } from './claims'
import { type Group, partitionCount } from './group'
import { type PartitionLists, sizeOf } from './lists'
import { plainNetwork } from './plain-network'
import { priceFromRows } from './prices'
import { countMismatches, type Racks } from './racks'
import { repair } from './repair'
import type { Steps, Work } from './steps'
import { planSticky } from './sticky'

/**
 * The fewest partitions that any plan as balanced as this one does not leave with their owners. For plans that do not
 * aim at few moves, so that their moves have something to be measured against.
 *
 * - Balanced as well as can be: the moves of the sticky plan; with the plan's rack mismatches, if they are the fewest, else
 *   whatever the racks.
 * - Less balanced, uniform group: of the plans with the same counts, whoever has them.
 * - Less balanced, mixed subscriptions: of the plans in which every member has as many as here. (To let members exchange
 *   their counts would be a hard problem: it contains exact cover.)
 * - A plan that gives a member a topic that it does not subscribe, as some bugs of Kafka do: the moves of the sticky plan.
 */
export function* minimumMovesFor(
  group: Group,
  ownership: Ownership,
  racks: Racks | undefined,
  lists: PartitionLists,
  steps: Steps,
): Work<number> {
  const { believed } = ownership
  const best = yield* planBest(group, ownership, racks, steps)
  if (sameBalance(lists, best.lists)) {
    if (!racks) return best.gained.ids.length
    const mismatches = yield* countMismatches(racks, lists, steps)
    if (mismatches === (yield* countMismatches(racks, best.lists, steps))) return best.gained.ids.length
    const anyRacks = yield* planSticky(group, ownership, steps)
    return anyRacks.gained.ids.length
  }
  if (!isValid(group, lists)) return best.gained.ids.length
  if (group.isUniform) return partitionCount(group) - keptWithCounts(believed, lists)
  return yield* minimumForLoads(group, believed, lists, steps)
}

/** Every member has only what it subscribes. */
function isValid(group: Group, lists: PartitionLists): boolean {
  for (let m = 0; m < group.memberIds.length; m++) {
    const topics = new Set(group.subscriptions[group.subscriptionOf[m]!])
    for (let i = lists.start[m]!, t = 0; i < lists.start[m + 1]!; i++) {
      while (group.topicStart[t + 1]! <= lists.ids[i]!) t++
      if (!topics.has(t)) return false
    }
  }
  return true
}

const sizes = (lists: PartitionLists): Int32Array =>
  Int32Array.from({ length: lists.start.length - 1 }, (_, m) => sizeOf(lists, m))

function sameBalance(a: PartitionLists, b: PartitionLists): boolean {
  const [x, y] = [sizes(a).sort(), sizes(b).sort()]
  return x.every((size, i) => size === y[i])
}

/** Whoever owns the most gets the most. */
function keptWithCounts(believed: PartitionLists, lists: PartitionLists): number {
  const counts = sizes(lists).sort()
  return sizes(believed)
    .sort()
    .reduce((kept, owned, i) => kept + Math.min(owned, counts[i]!), 0)
}

/** The same method as for the best plan, but each member's count is given and all is one level. */
function* minimumForLoads(group: Group, believed: PartitionLists, lists: PartitionLists, steps: Steps): Work<number> {
  const cells = yield* indexCells(group, cellStarts(group), steps)
  const own = yield* countByCell(group, cells.start, believed, steps)
  const topics = group.topics.length
  const level = new Int32Array(topics + group.memberIds.length).fill(1, 0, topics)
  for (let m = 0; m < group.memberIds.length; m++) if (cells.start[m] !== cells.start[m + 1]) level[topics + m] = 1
  const start = yield* startAlone(group, cells.start, own, level, steps, sizes(lists))
  const network = plainNetwork(partitionCount(group), cells, own, level, start)
  yield* priceFromRows(network, steps)
  yield* repair(network, steps)
  const kept = network.flow.reduce((sum, count, e) => sum + Math.min(count, own[e]!), 0)
  return partitionCount(group) - kept
}
