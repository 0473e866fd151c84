import { type Entries, type Group, partitionCount } from './group'
import { type PartitionLists, sizeOf } from './lists'
import { RackLists } from './rack-lists'
import type { Steps, Work } from './steps'
import type { PlanRequest } from './types'

/**
 * Racks where they decide anything (KIP-881). The partitions of a topic are split into rows: those of one row are near
 * the same members. Rows are numbered topic by topic, in the order of their first partitions.
 */
export interface Racks {
  readonly rowOf: Int32Array
  /** Topic t has the rows rowStart[t] .. rowStart[t + 1] - 1. */
  readonly rowStart: Int32Array
  /** True if the member is in a rack and no replica of the row's partitions is. */
  mismatch(member: number, row: number): boolean
}

/** Every topic is one row, and everybody is near it. */
export function noRacks(group: Group): Racks {
  const rowOf = new Int32Array(partitionCount(group))
  group.topics.forEach((_, t) => {
    rowOf.fill(t, group.topicStart[t], group.topicStart[t + 1])
  })
  return { rowOf, rowStart: Int32Array.from({ length: group.topics.length + 1 }, (_, t) => t), mismatch: () => false }
}

const none = -1

/**
 * Racks matter as in Kafka: some member is in a rack that holds a replica, and not all partitions have replicas in the
 * same racks. A member without a rack is near everything; so is everybody to a partition of which no rack is known.
 * Undefined if racks do not matter.
 */
export function* readRacks(
  request: PlanRequest,
  group: Group,
  entries: Entries,
  steps: Steps,
): Work<Racks | undefined> {
  if (!group.topics.some(name => typeof request.topics[name] !== 'number')) return undefined
  const members = readMemberRacks(group, entries)
  if (members.numbers.size === 0) return undefined
  const replicas = yield* readReplicaRacks(request, group, steps)
  if (!doRacksMatter(members.numbers, replicas)) return undefined
  return yield* numberRows(group, members, replicas, steps)
}

interface MemberRacks {
  /** Name → number of each rack with a member that subscribes something. */
  readonly numbers: Map<string, number>
  /** By member. */
  readonly rackOf: Int32Array
}

function readMemberRacks(group: Group, entries: Entries): MemberRacks {
  const numbers = new Map<string, number>()
  const rackOf = new Int32Array(group.memberIds.length).fill(none)
  for (let m = 0; m < rackOf.length; m++) {
    if (group.subscriptions[group.subscriptionOf[m]!]!.length === 0) continue
    const racks = entries.list.slice(entries.start[m], entries.start[m + 1]).flatMap(entry => entry.rackId || [])
    if (racks.length === 0) continue
    const rack = racks.sort()[0]!
    let number = numbers.get(rack)
    if (number === undefined) numbers.set(rack, (number = numbers.size))
    rackOf[m] = number
  }
  return { numbers, rackOf }
}

interface ReplicaRacks {
  /** By partition: the number of its list of racks; 0 if none is known. */
  readonly listOf: Int32Array
  /** The lists that some partition has: number and racks. */
  readonly used: readonly (readonly [list: number, racks: readonly string[]])[]
}

function* readReplicaRacks(request: PlanRequest, group: Group, steps: Steps): Work<ReplicaRacks> {
  const lists = new RackLists()
  const listOf = new Int32Array(partitionCount(group))
  const isUsed: boolean[] = []
  for (let t = 0; t < group.topics.length; t++) {
    const spec = request.topics[group.topics[t]!]!
    for (let p = group.topicStart[t]!; p < group.topicStart[t + 1]!; p++) {
      listOf[p] = typeof spec === 'number' ? 0 : lists.numberOf(spec[p - group.topicStart[t]!])
      isUsed[listOf[p]!] = true
      if (steps.spent(8)) yield
    }
  }
  const used = lists.racks.map((racks, list) => [list, racks] as const).filter(([list]) => isUsed[list])
  return { listOf, used }
}

function doRacksMatter(memberRacks: Map<string, number>, { used }: ReplicaRacks): boolean {
  const all = new Set(used.flatMap(([, racks]) => racks))
  return [...all].some(rack => memberRacks.has(rack)) && used.some(([, racks]) => racks.length < all.size)
}

function* numberRows(
  group: Group,
  { numbers, rackOf }: MemberRacks,
  { listOf, used }: ReplicaRacks,
  steps: Steps,
): Work<Racks | undefined> {
  // Only racks with members count, so that a set is one bit for each of them.
  const sets: Uint8Array[] = []
  const setOf: number[] = []
  const byContent = new Map<string, number>()
  for (const [list, racks] of used) {
    const near = new Uint8Array(numbers.size).fill(racks.length === 0 ? 1 : 0)
    for (const rack of racks) if (numbers.has(rack)) near[numbers.get(rack)!] = 1
    const content = near.join('')
    if (!byContent.has(content)) byContent.set(content, sets.push(near) - 1)
    setOf[list] = byContent.get(content)!
  }
  if (sets.every(near => near.every(bit => bit === 1))) return undefined

  const rowOf = new Int32Array(listOf.length)
  const rowStart = new Int32Array(group.topics.length + 1)
  const setOfRow: number[] = []
  /** By set: its row in the topic at hand; smaller than the topic's first row if it has none yet. */
  const rowOfSet = new Int32Array(sets.length).fill(-1)
  for (let t = 0; t < group.topics.length; t++) {
    for (let p = group.topicStart[t]!; p < group.topicStart[t + 1]!; p++) {
      const set = setOf[listOf[p]!]!
      if (rowOfSet[set]! < rowStart[t]!) rowOfSet[set] = setOfRow.push(set) - 1
      rowOf[p] = rowOfSet[set]!
      if (steps.spent(2)) yield
    }
    rowStart[t + 1] = setOfRow.length
  }
  return {
    rowOf,
    rowStart,
    mismatch: (member, row) => rackOf[member]! !== none && sets[setOfRow[row]!]![rackOf[member]!] === 0,
  }
}

/** How many partitions have an owner to whom none of their racks is near. */
export function* countMismatches({ rowOf, mismatch }: Racks, lists: PartitionLists, steps: Steps): Work<number> {
  let count = 0
  for (let m = 0; m + 1 < lists.start.length; m++) {
    for (let i = lists.start[m]!; i < lists.start[m + 1]!; i++) if (mismatch(m, rowOf[lists.ids[i]!]!)) count++
    if (steps.spent(4 * sizeOf(lists, m))) yield
  }
  return count
}
