import { ClaimReader } from './claim-reader'
import { type Entries, type Group, generationOf, partitionCount, topicOf } from './group'
import { listByMember, type PartitionLists } from './lists'
import { PartitionSet } from './partition-set'
import type { Steps, Work } from './steps'
import type { Claims, PlanRequest, RejectedClaims } from './types'

/** Who owned what before, as far as it is believed, and who may be working on what. */
export interface Ownership {
  /** Believed claims by member. */
  readonly believed: PartitionLists
  /** Partitions with a believed owner. */
  readonly owned: PartitionSet
  /** Partitions that their believed owner holds: it may be working on them now. */
  readonly held: PartitionSet
  /** By partition: other members that hold it, believed or not, subscribed or not. */
  readonly otherHolders: ReadonlyMap<number, readonly number[]>
  readonly rejected: readonly RejectedClaims[]
}

/**
 * Validates the claims of all members and settles which are believed: for each partition the one of the strictly highest
 * generation; at a tie for the highest, none (KIP-341, KAFKA-12984). Never throws, whatever the claims hold.
 */
export function* readClaims(request: PlanRequest, group: Group, entries: Entries, steps: Steps): Work<Ownership> {
  const reader = new ClaimReader(request, group, entries.list)
  const members = group.memberIds.length
  for (let m = 0; m < members; m++) {
    for (let i = entries.start[m]!; i < entries.start[m + 1]!; i++) {
      if (steps.spent(reader.read(m, entries.list[i]!))) yield
    }
  }
  const otherHolders = new Map<number, number[]>()
  for (const [partition, member] of reader.foreignHeld) addHolder(otherHolders, partition, member)
  if (reader.contested || entries.list.length > members)
    return yield* settle(group, entries, reader, otherHolders, steps)
  return {
    believed: { start: reader.start, ids: reader.ids.subarray(0, reader.start[members]) },
    owned: reader.claimed,
    held: reader.held,
    otherHolders,
    rejected: reader.rejections.list(group),
  }
}

/** Both forms of claims as pairs of topic and list; whatever is neither is no claim. */
export function claimedLists(claims: Claims | undefined): [string, unknown][] {
  if (Array.isArray(claims)) {
    return claims.filter(item => item && typeof item.topic === 'string').map(item => [item.topic, item.partitions])
  }
  return claims && typeof claims === 'object' ? Object.entries(claims) : []
}

/** True if a member other than this one may be working on a partition that this one did not own. */
export function isHeldByOther({ held, otherHolders }: Ownership, partition: number, member: number): boolean {
  if (held.has(partition)) return true
  return otherHolders.size > 0 && (otherHolders.get(partition)?.some(holder => holder !== member) ?? false)
}

const nobody = -1
/** Several members claim a partition in the highest generation. */
const disputed = -2

/** Decides where several members claim the same partition. */
function* settle(
  group: Group,
  entries: Entries,
  reader: ClaimReader,
  otherHolders: Map<number, number[]>,
  steps: Steps,
): Work<Ownership> {
  const partitions = partitionCount(group)
  const owner = new Int32Array(partitions).fill(nobody)
  const highest = new Int32Array(partitions).fill(-1)
  const ranks = generationRanks(entries)
  const visit = function* (see: (partition: number, member: number, rank: number, entry: number) => void): Work<void> {
    for (let m = 0; m < group.memberIds.length; m++) {
      for (let i = entries.start[m]!; i < entries.start[m + 1]!; i++) {
        const rank = ranks.get(generationOf(entries.list[i]!))!
        for (let k = reader.start[i]!; k < reader.start[i + 1]!; k++) see(reader.ids[k]!, m, rank, i)
        if (steps.spent(2 * (reader.start[i + 1]! - reader.start[i]!))) yield
      }
    }
  }
  yield* visit((partition, member, rank) => {
    // The entries of one member come by descending generation.
    if (owner[partition] === member) return
    if (rank > highest[partition]!) {
      highest[partition] = rank
      owner[partition] = member
    } else if (rank === highest[partition]) owner[partition] = disputed
  })

  const owned = new PartitionSet(partitions)
  const held = new PartitionSet(partitions)
  const loserOf = new Int32Array(partitions).fill(nobody)
  yield* visit((partition, member, rank, entry) => {
    const isHeld = reader.isHeld(entry, partition)
    if (owner[partition] === member) {
      owned.add(partition)
      if (isHeld) held.add(partition)
      return
    }
    if (isHeld) addHolder(otherHolders, partition, member)
    if (loserOf[partition] === member) return
    loserOf[partition] = member
    const t = topicOf(group, partition)
    const reason = rank < highest[partition]! ? 'older-generation' : 'same-generation'
    reader.rejections.add(member, group.topics[t]!, reason, partition - group.topicStart[t]!)
  })
  const believed = listByMember(owner, group.memberIds.length)
  return { believed, owned, held, otherHolders, rejected: reader.rejections.list(group) }
}

/** Generations may be large numbers; only their order counts. */
function generationRanks(entries: Entries): Map<number, number> {
  const distinct = [...new Set(entries.list.map(generationOf))].sort((a, b) => a - b)
  return new Map(distinct.map((generation, rank) => [generation, rank]))
}

function addHolder(holders: Map<number, number[]>, partition: number, member: number): void {
  const list = holders.get(partition)
  if (list) list.push(member)
  else holders.set(partition, [member])
}
