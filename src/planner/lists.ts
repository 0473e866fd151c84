import type { PartitionSet } from './partition-set'
import type { Steps, Work } from './steps'

/** For each member a list of partition numbers, ascending: those of member m are ids[start[m]] .. ids[start[m + 1] - 1]. */
export interface PartitionLists {
  readonly start: Int32Array
  readonly ids: Int32Array
}

export const sizeOf = (lists: PartitionLists, member: number): number => lists.start[member + 1]! - lists.start[member]!

/** The part of `ids` that belongs to a member; shares its memory. */
export const listOf = (lists: PartitionLists, member: number): Int32Array =>
  lists.ids.subarray(lists.start[member]!, lists.start[member + 1]!)

/** Turns an owner for each partition (negative: nobody) into a list for each member. */
export function listByMember(owner: Int32Array, members: number): PartitionLists {
  const start = new Int32Array(members + 1)
  for (let p = 0; p < owner.length; p++) if (owner[p]! >= 0) start[owner[p]! + 1]!++
  for (let m = 0; m < members; m++) start[m + 1]! += start[m]!
  const next = start.slice(0, members)
  const ids = new Int32Array(start[members]!)
  for (let p = 0; p < owner.length; p++) if (owner[p]! >= 0) ids[next[owner[p]!]!++] = p
  return { start, ids }
}

export const noLists = (members: number): PartitionLists => ({
  start: new Int32Array(members + 1),
  ids: new Int32Array(0),
})

/** Gives partition ids[k] to the member owners[k]. Lists ascend if `ids` do. */
export function distribute(partitions: Int32Array, owners: Int32Array, members: number): PartitionLists {
  const start = new Int32Array(members + 1)
  for (let k = 0; k < owners.length; k++) start[owners[k]! + 1]!++
  for (let m = 0; m < members; m++) start[m + 1]! += start[m]!
  const next = start.slice(0, members)
  const ids = new Int32Array(partitions.length)
  for (let k = 0; k < partitions.length; k++) ids[next[owners[k]!]!++] = partitions[k]!
  return { start, ids }
}

/** For each member those of `before` that are in `kept`, and those of `gained`: `total` in all. */
export function* joinLists(
  before: PartitionLists,
  kept: PartitionSet,
  gained: PartitionLists,
  total: number,
  steps: Steps,
): Work<PartitionLists> {
  if (gained.ids.length === 0 && before.ids.length === total) return before
  const members = before.start.length - 1
  const lists = { start: new Int32Array(members + 1), ids: new Int32Array(total) }
  let at = 0
  for (let m = 0; m < members; m++) {
    at = joinMember(m, before, kept, gained, lists.ids, at)
    lists.start[m + 1] = at
    if (steps.spent(2 * (at - lists.start[m]!) + 1)) yield
  }
  return lists
}

/** Writes one member's list to `out` from `at` on; returns where it ends. */
function joinMember(
  m: number,
  before: PartitionLists,
  { bits }: PartitionSet,
  gained: PartitionLists,
  out: Int32Array,
  at: number,
): number {
  const { ids } = before
  const end = before.start[m + 1]!
  let g = gained.start[m]!
  const gainedEnd = gained.start[m + 1]!
  for (let k = before.start[m]!; k < end; k++) {
    const partition = ids[k]!
    if ((bits[partition >>> 5]! & (1 << (partition & 31))) === 0) continue
    while (g < gainedEnd && gained.ids[g]! < partition) out[at++] = gained.ids[g++]!
    out[at++] = partition
  }
  while (g < gainedEnd) out[at++] = gained.ids[g++]!
  return at
}

/** What is in a member's list of `after` but not in that of `before`. */
export function gainedIn(before: PartitionLists, after: PartitionLists): PartitionLists {
  const members = after.start.length - 1
  const start = new Int32Array(members + 1)
  const ids = new Int32Array(after.ids.length)
  let count = 0
  for (let m = 0; m < members; m++) {
    let i = before.start[m]!
    const end = before.start[m + 1]!
    for (let k = after.start[m]!; k < after.start[m + 1]!; k++) {
      const partition = after.ids[k]!
      while (i < end && before.ids[i]! < partition) i++
      if (i === end || before.ids[i] !== partition) ids[count++] = partition
    }
    start[m + 1] = count
  }
  return { start, ids: ids.slice(0, count) }
}
