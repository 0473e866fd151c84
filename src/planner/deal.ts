import { type Group, partitionCount } from './group'
import { distribute, joinLists, noLists, type PartitionLists } from './lists'
import type { PartitionSet } from './partition-set'
import type { Steps, Work } from './steps'
import { Turns } from './turns'

export interface Deal {
  readonly lists: PartitionLists
  /** What each member gets that it did not own. */
  readonly gained: PartitionLists
}

/**
 * Turns counts by cell into partitions. Everybody keeps what it owned as far as its counts allow, the lowest ids first;
 * the rest is dealt topic by topic in ascending order, each to the member that still lacks some of the topic and has the
 * fewest partitions, ties to the smaller id.
 *
 * @param start by member: its first cell
 * @param counts by cell: how many it shall have
 * @param own by cell: believed claims
 * @param owned the partitions in `believed`; used up
 */
export function* deal(
  group: Group,
  start: Int32Array,
  counts: Int32Array,
  own: Int32Array,
  believed: PartitionLists,
  owned: PartitionSet,
  steps: Steps,
): Work<Deal> {
  const members = group.memberIds.length
  const keeping = new Keeping(group, start, counts, own, believed, owned)
  for (let m = 0; m < members; m++) if (steps.spent(keeping.keep(m))) yield
  if (keeping.freed === 0 && keeping.lacking === 0) return { lists: believed, gained: noLists(members) }

  const dealing = new Dealing(group, keeping)
  for (let t = 0; t < group.topics.length; t++) if (steps.spent(dealing.deal(t))) yield
  const gained = dealing.gained()
  if (steps.spent(gained.ids.length)) yield

  return { lists: yield* joinLists(believed, owned, gained, partitionCount(group), steps), gained }
}

/** What everybody keeps, and which cells lack partitions then. */
class Keeping {
  freed = 0
  /** Cells that lack partitions, member by member: the topic, the member, how many; and how many cells of each topic. */
  lackingTopics: Int32Array = empty
  lackingMembers: Int32Array = empty
  lacks: Int32Array = empty
  lacking = 0
  readonly lackingByTopic: Int32Array
  /** By member: how many it keeps. */
  readonly has: Int32Array

  constructor(
    private readonly group: Group,
    private readonly start: Int32Array,
    private readonly counts: Int32Array,
    private readonly own: Int32Array,
    private readonly believed: PartitionLists,
    readonly taken: PartitionSet,
  ) {
    this.has = new Int32Array(group.memberIds.length)
    this.lackingByTopic = new Int32Array(group.topics.length)
  }

  /** Returns the steps it took. */
  keep(m: number): number {
    const { group, counts, own, believed, taken } = this
    const subscription = group.subscriptions[group.subscriptionOf[m]!]!
    const first = this.start[m]!
    let k = believed.start[m]!
    let has = 0
    for (let i = 0; i < subscription.length; i++) {
      const owned = own[first + i]!
      const count = counts[first + i]!
      if (count >= owned) {
        has += owned
        if (count > owned) this.addLacking(subscription[i]!, m, count - owned)
      } else {
        has += count
        this.freed += owned - count
        for (let j = count; j < owned; j++) taken.delete(believed.ids[k + j]!)
      }
      k += owned
    }
    this.has[m] = has
    return subscription.length
  }

  private addLacking(topic: number, member: number, count: number): void {
    if (this.lacking === this.lacks.length) {
      this.lackingTopics = enlarged(this.lackingTopics)
      this.lackingMembers = enlarged(this.lackingMembers)
      this.lacks = enlarged(this.lacks)
    }
    this.lackingTopics[this.lacking] = topic
    this.lackingMembers[this.lacking] = member
    this.lacks[this.lacking++] = count
    this.lackingByTopic[topic]!++
  }
}

const empty = new Int32Array(0)

const enlarged = (array: Int32Array): Int32Array => {
  const larger = new Int32Array(2 * array.length + 16)
  larger.set(array)
  return larger
}

/** Deals the free partitions of each topic to the cells that lack them. */
class Dealing {
  /** Who lacks how many, by topic: those of topic t are start[t] .. start[t + 1] - 1, members ascending. */
  private readonly start: Int32Array
  private readonly members: Int32Array
  private readonly lacks: Int32Array
  /** The free partitions, ascending, and who gets them. */
  private readonly pool: Int32Array
  private readonly takers: Int32Array
  private dealt = 0
  private readonly turns: Turns
  private readonly hasOf: Int32Array
  private order: Int32Array

  constructor(
    private readonly group: Group,
    private readonly keeping: Keeping,
  ) {
    const { lacking, lackingTopics, lackingMembers, lackingByTopic, has } = keeping
    const topics = group.topics.length
    this.start = new Int32Array(topics + 1)
    let widest = 0
    for (let t = 0; t < topics; t++) {
      this.start[t + 1] = this.start[t]! + lackingByTopic[t]!
      if (lackingByTopic[t]! > widest) widest = lackingByTopic[t]!
    }
    this.members = new Int32Array(lacking)
    this.lacks = new Int32Array(lacking)
    const next = this.start.slice(0, topics)
    for (let i = 0; i < lacking; i++) {
      const at = next[lackingTopics[i]!]!++
      this.members[at] = lackingMembers[i]!
      this.lacks[at] = keeping.lacks[i]!
    }
    let kept = 0
    for (let m = 0; m < has.length; m++) kept += has[m]!
    this.pool = new Int32Array(partitionCount(group) - kept)
    this.takers = new Int32Array(this.pool.length)
    this.turns = new Turns(widest)
    this.hasOf = new Int32Array(widest)
    this.order = new Int32Array(widest)
  }

  /** Returns the steps it took. */
  deal(t: number): number {
    const { group, keeping, members, hasOf, takers } = this
    const { has } = keeping
    const first = this.start[t]!
    const count = this.start[t + 1]! - first
    if (count === 0) return 1
    const poolStart = this.dealt
    this.dealt = keeping.taken.writeMissing(group.topicStart[t]!, group.topicStart[t + 1]!, this.pool, poolStart)
    if (count === 1) {
      takers.fill(members[first]!, poolStart, this.dealt)
      has[members[first]!]! += this.dealt - poolStart
      return this.dealt - poolStart + 1
    }
    for (let i = 0; i < count; i++) hasOf[i] = has[members[first + i]!]!
    const lacks = this.lacks.subarray(first, first + count)
    if (this.order.length < this.dealt - poolStart) this.order = new Int32Array(2 * (this.dealt - poolStart))
    this.turns.order(count, hasOf, lacks, this.order)
    for (let k = poolStart; k < this.dealt; k++) {
      const m = members[first + this.order[k - poolStart]!]!
      takers[k] = m
      has[m]!++
    }
    return 4 * (this.dealt - poolStart + count)
  }

  gained(): PartitionLists {
    return distribute(this.pool, this.takers, this.keeping.has.length)
  }
}
