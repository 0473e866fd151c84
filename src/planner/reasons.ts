import { type Group, partitionCount, topicOf } from './group'
import { listOf, type PartitionLists, sizeOf } from './lists'
import type { Outcome } from './outcome'

const none = -1

/**
 * One line for each partition that changes hands or is withheld: who had more than its target, or who is short.
 *
 * A member that gains one partition and loses another is only a link of a chain, and its own counts explain nothing. So
 * every loss of a member is paired with one of its gains as far as there are any; followed from pair to pair, what is
 * left over at both ends says why: there somebody owned too much, or nobody owned the partition; here somebody had too
 * few.
 *
 * @param mismatch tells whether the replicas of a partition are in other racks than the member; absent without racks
 */
export function reasonsFor(
  group: Group,
  believed: PartitionLists,
  outcome: Outcome,
  mismatch?: (member: number, partition: number) => boolean,
): string[] {
  const moves = new Moves(group, believed, outcome)
  const lines: string[] = []
  for (let i = 0; i < moves.count; i++) {
    const from = moves.from[i]!
    const farAway =
      from !== none && mismatch?.(from, moves.partition[i]!) && !mismatch(moves.to[i]!, moves.partition[i]!)
    lines.push(moves.line(i) + (farAway ? `, no replica in the rack of ${group.memberIds[from]}` : ''))
  }
  return lines
}

/** Chains longer than this are shown by their ends. */
const longestShown = 6

class Moves {
  readonly count: number
  /** By move: the partition, its believed owner or nobody, and whom it is for. */
  readonly partition: Int32Array
  readonly from: Int32Array
  readonly to: Int32Array
  /** By move: the one of its chain that follows or precedes it. */
  private readonly next: Int32Array
  private readonly previous: Int32Array

  constructor(
    private readonly group: Group,
    private readonly believed: PartitionLists,
    private readonly outcome: Outcome,
  ) {
    const { gained, withheld } = outcome
    const members = group.memberIds.length
    this.count = gained.ids.length + withheld.ids.length
    this.partition = new Int32Array(this.count)
    this.from = new Int32Array(this.count)
    this.to = new Int32Array(this.count)
    this.next = new Int32Array(this.count).fill(none)
    this.previous = new Int32Array(this.count).fill(none)
    const owner = ownersOf(group, believed)
    const gains: number[][] = Array.from({ length: members }, () => [])
    const losses: number[][] = Array.from({ length: members }, () => [])
    let i = 0
    for (const lists of [gained, withheld]) {
      for (let m = 0; m < members; m++) {
        for (const partition of listOf(lists, m)) {
          this.partition[i] = partition
          this.from[i] = owner[partition]!
          this.to[i] = m
          gains[m]!.push(i)
          if (owner[partition] !== none) losses[owner[partition]!]!.push(i)
          i++
        }
      }
    }
    for (let m = 0; m < members; m++) {
      for (let k = 0; k < Math.min(gains[m]!.length, losses[m]!.length); k++) {
        this.next[gains[m]![k]!] = losses[m]![k]!
        this.previous[losses[m]![k]!] = gains[m]![k]!
      }
    }
  }

  line(i: number): string {
    const change = `${this.name(i)}: ${this.from[i] === none ? '' : `${this.id(this.from[i]!)} `}→ ${this.id(this.to[i]!)}`
    const unowned = this.from[i] === none ? ', nobody owned it' : ''
    const chain = this.chainOf(i)
    if (chain.length > 1) return `${change}${unowned}, ${this.explain(chain)}`
    return unowned ? change + unowned : `${change}, ${this.counts(this.from[i]!)}`
  }

  /** The moves of the chain, first to last; of a circle from this move on. */
  private chainOf(i: number): number[] {
    let first = i
    while (this.previous[first] !== none) {
      first = this.previous[first]!
      if (first === i) break
    }
    const chain = [first]
    for (let k = this.next[first]!; k !== none && k !== first; k = this.next[k]!) chain.push(k)
    return chain
  }

  private explain(chain: readonly number[]): string {
    const first = chain[0]!
    const last = chain.at(-1)!
    const shown = chain.length <= longestShown ? chain : [...chain.slice(0, 2), none, ...chain.slice(-2)]
    const start = this.from[first] === none ? '' : `${this.id(this.from[first]!)} `
    const links = shown.map(k => {
      return k === none ? `… ${chain.length - 4} more …` : `(${this.name(k)}) → ${this.id(this.to[k]!)}`
    })
    const path = `${start}${links.join(' ')}`
    if (this.previous[first] !== none) return `exchanged: ${path}`
    const from = this.from[first] === none ? `nobody owned ${this.name(first)}` : this.counts(this.from[first]!)
    return `chain ${path}; ${from}; ${this.counts(this.to[last]!)}`
  }

  private counts(m: number): string {
    const { assigned, withheld } = this.outcome
    return `${this.id(m)} owned ${sizeOf(this.believed, m)}, target ${sizeOf(assigned, m) + sizeOf(withheld, m)}`
  }

  private id(m: number): string {
    return this.group.memberIds[m]!
  }

  private name(i: number): string {
    const t = topicOf(this.group, this.partition[i]!)
    return `${this.group.topics[t]}-${this.partition[i]! - this.group.topicStart[t]!}`
  }
}

/** By partition: its believed owner. */
function ownersOf(group: Group, believed: PartitionLists): Int32Array {
  const owner = new Int32Array(partitionCount(group)).fill(none)
  for (let m = 0; m < group.memberIds.length; m++) for (const partition of listOf(believed, m)) owner[partition] = m
  return owner
}
