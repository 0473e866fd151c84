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
