import { type Group, partitionCount } from './group'
import { listOf, type PartitionLists, sizeOf } from './lists'
import type { Steps, Work } from './steps'

/**
 * The recipe for uniform groups: everybody keeps as much as its target allows, the rest is dealt out.
 *
 * Targets differ by at most one; the larger ones go to those that own the most, ties to the smaller id. A member above
 * its target gives up its highest partition ids (among equal ids the highest topic name). Unassigned partitions are taken
 * in ascending order, topic by topic, each by the member below its target that has the fewest, ties to the smaller id.
 * The result is best in balance and in moves; its spread over topics need not be.
 */
export function* planByRecipe(group: Group, believed: PartitionLists, steps: Steps): Work<PartitionLists> {
  const members = eligibleMembers(group)
  const owned = members.map(m => sizeOf(believed, m))
  const targets = targetsOf(owned, partitionCount(group))
  const kept: Int32Array[] = []
  for (let i = 0; i < members.length; i++) {
    const own = listOf(believed, members[i]!)
    kept.push(own.length <= targets[i]! ? own : keepLowest(group, own, targets[i]!))
    if (steps.spent(own.length + 1)) yield
  }
  const pool = complement(kept, partitionCount(group))
  if (steps.spent(pool.length)) yield
  const takers = dealToFewest(
    kept.map(list => list.length),
    targets,
    pool.length,
  )
  if (steps.spent(pool.length)) yield
  return mergeLists(group.memberIds.length, members, kept, pool, takers)
}

/** Members that subscribe a planned topic, ascending. */
export function eligibleMembers(group: Group): number[] {
  const members: number[] = []
  group.subscriptionOf.forEach((s, m) => {
    if (group.subscriptions[s]!.length > 0) members.push(m)
  })
  return members
}

/** How many partitions each gets, given how many each owns (in order of id). */
export function targetsOf(owned: readonly number[], partitions: number): number[] {
  if (owned.length === 0) return []
  const base = Math.floor(partitions / owned.length)
  const targets = owned.map(() => base)
  const byOwned = owned.map((_, i) => i).sort((a, b) => owned[b]! - owned[a]! || a - b)
  for (const i of byOwned.slice(0, partitions % owned.length)) targets[i]!++
  return targets
}

/** The `count` partitions that stay when the highest ids, then the highest topic names, are given up. */
function keepLowest(group: Group, own: Int32Array, count: number): Int32Array {
  const keys = new Float64Array(own.length)
  const topics = group.topics.length
  let t = 0
  own.forEach((partition, i) => {
    while (group.topicStart[t + 1]! <= partition) t++
    keys[i] = (partition - group.topicStart[t]!) * topics + t
  })
  return Int32Array.from(keys.sort().subarray(0, count), key => {
    const topic = key % topics
    return group.topicStart[topic]! + (key - topic) / topics
  }).sort()
}

/** All partitions that are in none of the lists, ascending. */
function complement(lists: readonly Int32Array[], partitions: number): Int32Array {
  const taken = new Uint8Array(partitions)
  let free = partitions
  for (const list of lists) {
    free -= list.length
    for (let i = 0; i < list.length; i++) taken[list[i]!] = 1
  }
  const pool = new Int32Array(free)
  let next = 0
  for (let p = 0; next < free; p++) if (taken[p] === 0) pool[next++] = p
  return pool
}

/**
 * Who takes the first, second, ... partition: always the one that has the fewest and is below its target, ties to the
 * smaller id. Goes level by level: those that have `level` take one each, in order, and meet those of the next level.
 */
export function dealToFewest(has: readonly number[], targets: readonly number[], count: number): Int32Array {
  const takers = new Int32Array(count)
  const below = has.map((_, i) => i).filter(i => has[i]! < targets[i]!)
  const waiting = below.sort((a, b) => has[a]! - has[b]! || a - b)
  let arriving = 0
  let active: number[] = []
  let level = waiting.length > 0 ? has[waiting[0]!]! : 0
  for (let next = 0; next < count; level++) {
    const joined: number[] = []
    while (arriving < waiting.length && has[waiting[arriving]!] === level) joined.push(waiting[arriving++]!)
    active = mergeAscending(active, joined)
    for (let i = 0; i < active.length && next < count; i++) takers[next++] = active[i]!
    active = active.filter(i => targets[i]! > level + 1)
    if (active.length === 0 && arriving < waiting.length) level = has[waiting[arriving]!]! - 1
  }
  return takers
}

function mergeAscending(a: number[], b: readonly number[]): number[] {
  if (b.length === 0) return a
  const merged: number[] = []
  let j = 0
  for (const value of a) {
    while (j < b.length && b[j]! < value) merged.push(b[j++]!)
    merged.push(value)
  }
  while (j < b.length) merged.push(b[j++]!)
  return merged
}

/** Lists by member number from what each of `members` keeps and takes. */
function mergeLists(
  memberCount: number,
  members: readonly number[],
  kept: readonly Int32Array[],
  pool: Int32Array,
  takers: Int32Array,
): PartitionLists {
  const sizes = new Int32Array(memberCount)
  members.forEach((m, i) => {
    sizes[m] = kept[i]!.length
  })
  for (let k = 0; k < pool.length; k++) sizes[members[takers[k]!]!]!++
  const start = new Int32Array(memberCount + 1)
  for (let m = 0; m < memberCount; m++) start[m + 1] = start[m]! + sizes[m]!
  const ids = new Int32Array(start[memberCount]!)
  const next = start.slice(0, memberCount)
  members.forEach((m, i) => {
    ids.set(kept[i]!, next[m]!)
    next[m]! += kept[i]!.length
  })
  for (let k = 0; k < pool.length; k++) ids[next[members[takers[k]!]!]!++] = pool[k]!
  const lists = { start, ids }
  for (const m of members) listOf(lists, m).sort()
  return lists
}
