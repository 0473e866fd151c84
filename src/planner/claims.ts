import { type Entries, type Group, generationOf, partitionCount, topicOf } from './group'
import { listByMember, type PartitionLists } from './lists'
import { partitionsOf } from './read-group'
import { Rejections } from './rejections'
import type { Steps, Work } from './steps'
import type { Claims, PlanRequest, RejectedClaims } from './types'

/** Who owned what before, as far as it is believed. */
export interface Ownership {
  /** Believed claims by member. */
  readonly believed: PartitionLists
  /** By partition: the member whose claim is believed, or `nobody`. */
  readonly owner: Int32Array
  readonly rejected: readonly RejectedClaims[]
  /**
   * True if a member other than `member` may be working on the partition: it holds a claim on it, believed or not,
   * subscribed or not. Released claims are never held.
   */
  heldByOther(partition: number, member: number): boolean
}

export const nobody = -1
/** Several members claim a partition in the highest generation. */
const disputed = -2

/**
 * Validates the claims of all members and settles which are believed: for each partition the one of the strictly highest
 * generation; at a tie for the highest, none (KIP-341, KAFKA-12984). Never throws, whatever the claims hold.
 */
export function* readClaims(request: PlanRequest, group: Group, entries: Entries, steps: Steps): Work<Ownership> {
  const reader = new ClaimReader(request, group)
  const ranks = generationRanks(entries)
  for (let m = 0; m < group.memberIds.length; m++) {
    reader.startMember(m)
    for (let i = entries.start[m]!; i < entries.start[m + 1]!; i++) {
      const entry = entries.list[i]!
      reader.startEntry(ranks.get(generationOf(entry))!)
      let count = 0
      for (const [topic, list] of claimedLists(entry.owned)) count += reader.read(topic, list, true)
      for (const [topic, list] of claimedLists(entry.released)) count += reader.read(topic, list, false)
      if (steps.spent(count + 1)) yield
    }
  }
  return reader.finish()
}

/** Both forms of claims as pairs of topic and list; whatever is neither is no claim. */
export function claimedLists(claims: Claims | undefined): [string, unknown][] {
  if (Array.isArray(claims)) {
    return claims.filter(item => item && typeof item.topic === 'string').map(item => [item.topic, item.partitions])
  }
  return claims && typeof claims === 'object' ? Object.entries(claims) : []
}

/** Generations may be large numbers; only their order counts. */
function generationRanks(entries: Entries): Map<number, number> {
  const distinct = [...new Set(entries.list.map(generationOf))].sort((a, b) => a - b)
  return new Map(distinct.map((generation, rank) => [generation, rank]))
}

class ClaimReader {
  private readonly rejections = new Rejections()
  private readonly topicNumbers: Map<string, number>
  /** By partition: who claims it in the highest generation seen so far, and the rank of that generation. */
  private readonly owner: Int32Array
  private readonly rank: Int32Array
  /** By partition: the last member that claimed it, so that a repeated claim counts once. */
  private readonly seenBy: Int32Array
  /** By partition: two different members that hold it. */
  private readonly holder: Int32Array
  private readonly otherHolder: Int32Array
  /** Valid claims in the order read, to say later which of them lost. */
  private readonly valid: { member: number; rank: number; partitions: number[] }[] = []
  private conflicts = false
  private member = 0
  private subscribed = new Set<number>()
  private otherClaims = new Map<string, Set<unknown>>()

  constructor(
    private readonly request: PlanRequest,
    private readonly group: Group,
  ) {
    const partitions = partitionCount(group)
    this.owner = new Int32Array(partitions).fill(nobody)
    this.rank = new Int32Array(partitions).fill(-1)
    this.seenBy = new Int32Array(partitions).fill(-1)
    this.holder = new Int32Array(partitions).fill(nobody)
    this.otherHolder = new Int32Array(partitions).fill(nobody)
    this.topicNumbers = new Map(group.topics.map((name, t) => [name, t]))
  }

  startMember(member: number): void {
    this.member = member
    this.subscribed = new Set(this.group.subscriptions[this.group.subscriptionOf[member]!])
    this.otherClaims = new Map()
  }

  startEntry(rank: number): void {
    this.valid.push({ member: this.member, rank, partitions: [] })
  }

  /** Reads the claims on one topic; returns how many there were. */
  read(topic: string, list: unknown, held: boolean): number {
    const claims: ArrayLike<unknown> = Array.isArray(list) || isTypedArray(list) ? list : [list]
    const number = this.topicNumbers.get(topic)
    const size =
      number === undefined
        ? partitionsOf(this.request.topics, topic)
        : this.group.topicStart[number + 1]! - this.group.topicStart[number]!
    for (let i = 0; i < claims.length; i++) {
      const id = claims[i]
      if (size === 0) this.rejectOnce(topic, 'unknown-topic', id)
      else if (!Number.isInteger(id) || (id as number) < 0 || (id as number) >= size)
        this.rejectOnce(topic, 'invalid-partition', id)
      else if (number === undefined) this.rejectOnce(topic, 'not-subscribed', id)
      else {
        const partition = this.group.topicStart[number]! + (id as number)
        if (held) this.hold(partition)
        if (this.subscribed.has(number)) this.claim(partition)
        else this.rejectOnce(topic, 'not-subscribed', id)
      }
    }
    return claims.length
  }

  private hold(partition: number): void {
    if (this.holder[partition] === nobody) this.holder[partition] = this.member
    else if (this.holder[partition] !== this.member) this.otherHolder[partition] = this.member
  }

  private claim(partition: number): void {
    if (this.seenBy[partition] === this.member) return
    this.seenBy[partition] = this.member
    const { rank, partitions } = this.valid[this.valid.length - 1]!
    partitions.push(partition)
    const best = this.rank[partition]!
    if (best >= 0) this.conflicts = true
    if (rank > best) {
      this.rank[partition] = rank
      this.owner[partition] = this.member
    } else if (rank === best) this.owner[partition] = disputed
  }

  private rejectOnce(topic: string, reason: 'unknown-topic' | 'invalid-partition' | 'not-subscribed', id: unknown) {
    let seen = this.otherClaims.get(topic)
    if (!seen) this.otherClaims.set(topic, (seen = new Set()))
    if (seen.has(id)) return
    seen.add(id)
    this.rejections.add(this.member, topic, reason, id)
  }

  finish(): Ownership {
    if (this.conflicts) this.rejectLosers()
    const { owner, holder, otherHolder } = this
    for (let p = 0; p < owner.length; p++) if (owner[p] === disputed) owner[p] = nobody
    return {
      believed: listByMember(owner, this.group.memberIds.length),
      owner,
      rejected: this.rejections.list(this.group),
      heldByOther: (partition, member) =>
        (holder[partition] !== nobody && holder[partition] !== member) ||
        (otherHolder[partition] !== nobody && otherHolder[partition] !== member),
    }
  }

  private rejectLosers(): void {
    const { topics, topicStart } = this.group
    for (const { member, rank, partitions } of this.valid) {
      for (const partition of partitions) {
        if (this.owner[partition] === member) continue
        const t = topicOf(this.group, partition)
        const reason = rank < this.rank[partition]! ? 'older-generation' : 'same-generation'
        this.rejections.add(member, topics[t]!, reason, partition - topicStart[t]!)
      }
    }
  }
}

const isTypedArray = (value: unknown): value is Int32Array =>
  ArrayBuffer.isView(value) && typeof (value as unknown as { length?: unknown }).length === 'number'
