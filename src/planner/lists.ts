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
