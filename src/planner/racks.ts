import { type Entries, type Group, partitionCount, topicOf } from './group'
import { type PartitionLists, sizeOf } from './lists'
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
export function readRacks(request: PlanRequest, group: Group, entries: Entries): Racks | undefined {
  if (!group.topics.some(name => typeof request.topics[name] !== 'number')) return undefined
  const memberRacks = readMemberRacks(group, entries)
  if (memberRacks.numbers.size === 0) return undefined
  const partitionRacks = readPartitionRacks(request, group)
  if (!doRacksMatter(memberRacks.numbers, partitionRacks)) return undefined
  return numberRows(group, memberRacks, partitionRacks)
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

/** By partition: its racks, each once. Lists of equal content are mostly the same object. */
function readPartitionRacks(request: PlanRequest, group: Group): (readonly string[])[] {
  const racks: (readonly string[])[] = new Array(partitionCount(group)).fill(unknown)
  const shared = new Map<string, readonly string[]>()
  group.topics.forEach((name, t) => {
    const spec = request.topics[name]!
    if (typeof spec === 'number') return
    spec.forEach((replicas, id) => {
      if (!Array.isArray(replicas)) return
      const distinct = [...new Set(replicas.filter(rack => typeof rack === 'string' && rack !== ''))].sort()
      const key = JSON.stringify(distinct)
      if (!shared.has(key)) shared.set(key, distinct)
      racks[group.topicStart[t]! + id] = shared.get(key)!
    })
  })
  return racks
}

const unknown: readonly string[] = []

function doRacksMatter(memberRacks: Map<string, number>, partitionRacks: readonly (readonly string[])[]): boolean {
  const all = new Set<string>()
  for (const racks of new Set(partitionRacks)) for (const rack of racks) all.add(rack)
  return [...all].some(rack => memberRacks.has(rack)) && partitionRacks.some(racks => racks.length < all.size)
}

function numberRows(
  group: Group,
  { numbers, rackOf }: MemberRacks,
  partitionRacks: readonly (readonly string[])[],
): Racks | undefined {
  // Only racks with members count, so that a set is one bit for each of them.
  const sets: Uint8Array[] = []
  const setOf = new Map<readonly string[], number>()
  const byContent = new Map<string, number>()
  for (const racks of new Set(partitionRacks)) {
    const near = new Uint8Array(numbers.size).fill(racks === unknown || racks.length === 0 ? 1 : 0)
    for (const rack of racks) if (numbers.has(rack)) near[numbers.get(rack)!] = 1
    const content = near.join('')
    if (!byContent.has(content)) byContent.set(content, sets.push(near) - 1)
    setOf.set(racks, byContent.get(content)!)
  }
  if (sets.every(near => near.every(bit => bit === 1))) return undefined

  const rowOf = new Int32Array(partitionRacks.length)
  const rowStart = new Int32Array(group.topics.length + 1)
  const setOfRow: number[] = []
  for (let t = 0; t < group.topics.length; t++) {
    const rowOfSet = new Map<number, number>()
    for (let p = group.topicStart[t]!; p < group.topicStart[t + 1]!; p++) {
      const set = setOf.get(partitionRacks[p]!)!
      let row = rowOfSet.get(set)
      if (row === undefined) rowOfSet.set(set, (row = setOfRow.push(set) - 1))
      rowOf[p] = row
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
export function countMismatches({ rowOf, mismatch }: Racks, lists: PartitionLists): number {
  let count = 0
  for (let m = 0; m + 1 < lists.start.length; m++) {
    for (let i = lists.start[m]!; i < lists.start[m + 1]!; i++) if (mismatch(m, rowOf[lists.ids[i]!]!)) count++
  }
  return count
}

/**
 * The group with rows in the place of topics, and its partitions renumbered so that those of a row follow each other;
 * `original` gives back their numbers in the group.
 */
export function splitByRacks(group: Group, { rowOf, rowStart }: Racks): { group: Group; original: Int32Array } {
  const rows = rowStart[group.topics.length]!
  const partitions = Int32Array.from(rowOf, (_, p) => p).sort((a, b) => rowOf[a]! - rowOf[b]! || a - b)
  const topicStart = new Int32Array(rows + 1)
  for (let p = 0; p < rowOf.length; p++) topicStart[rowOf[p]! + 1]!++
  for (let r = 0; r < rows; r++) topicStart[r + 1]! += topicStart[r]!
  const topics = Array.from({ length: rows }, (_, r) => group.topics[topicOf(group, partitions[topicStart[r]!]!)]!)
  const subscriptions = group.subscriptions.map(set => {
    const rowsOfSet: number[] = []
    for (const t of set) for (let r = rowStart[t]!; r < rowStart[t + 1]!; r++) rowsOfSet.push(r)
    return Int32Array.from(rowsOfSet)
  })
  return { group: { ...group, topics, topicStart, subscriptions }, original: partitions }
}

/** The lists in the other numbering: `number` gives the new number of each partition. */
export function renumber(lists: PartitionLists, number: Int32Array): PartitionLists {
  const ids = lists.ids.map(p => number[p]!)
  for (let m = 0; m + 1 < lists.start.length; m++) {
    if (sizeOf(lists, m) > 1) ids.subarray(lists.start[m]!, lists.start[m + 1]!).sort()
  }
  return { start: lists.start, ids }
}

export function inverse(numbers: Int32Array): Int32Array {
  const result = new Int32Array(numbers.length)
  for (let i = 0; i < numbers.length; i++) result[numbers[i]!] = i
  return result
}
