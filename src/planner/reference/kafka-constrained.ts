import type { Steps, Work } from '../steps'
import { type KafkaGroup, NOBODY, type Owners, topicIndexes } from './group'
import type { KafkaClaims } from './kafka-claims'
import { mismatches } from './racks'

export interface KafkaAssignment {
  readonly owners: Owners
  /**
   * Partitions that change hands: `cooperative-sticky` gives them to nobody in this round. Null where it has to find
   * them by comparing the plan with what the members own.
   */
  readonly transferring: ReadonlyMap<number, number> | null
}

/**
 * Kafka's algorithm for equal subscriptions. Everybody keeps what it owns up to its quota; the rest goes around, first
 * among those below the lower quota, then among those that may have one more.
 */
export function* assignConstrained(
  group: KafkaGroup,
  order: readonly number[],
  claims: KafkaClaims,
  racksMatter: boolean,
  steps: Steps,
): Work<KafkaAssignment> {
  const round = new ConstrainedRound(group, order, claims, racksMatter)
  yield* round.keep(steps)
  const rest = round.unassigned()
  yield* round.dealAround(racksMatter ? yield* round.dealInRacks(rest, steps) : rest, steps)
  return round
}

class ConstrainedRound {
  readonly owners: Owners
  readonly transferring = new Map<number, number>()
  private readonly counts: Int32Array
  private readonly low: number
  private readonly high: number
  /** How many members get the higher quota, and how many have it by now. */
  private readonly highWanted: number
  private highCount = 0
  /** Members below the lower quota, and those at it that may get one more; each by member id. */
  private under: number[] = []
  private exact: number[] = []
  /** Owners that are not sure to keep a partition. */
  private readonly mayLose: Owners

  constructor(
    private readonly group: KafkaGroup,
    private readonly order: readonly number[],
    private readonly claims: KafkaClaims,
    private readonly racksMatter: boolean,
  ) {
    const [partitions, members] = [group.start.at(-1)!, group.members.length]
    this.owners = new Int32Array(partitions).fill(NOBODY)
    this.mayLose = new Int32Array(partitions).fill(NOBODY)
    this.counts = new Int32Array(members)
    this.low = Math.floor(partitions / members)
    this.high = Math.ceil(partitions / members)
    this.highWanted = partitions % members
  }

  *keep(steps: Steps): Work<void> {
    const owned = yield* this.ownedInKeepingOrder(steps)
    for (const m of this.order) {
      const mine = owned[m]!
      let kept = this.low
      if (mine.length < this.low) {
        kept = mine.length
        this.under.push(m)
      } else if (mine.length >= this.high && this.highCount < this.highWanted) {
        kept = this.high
        this.countHigh()
      } else if (this.highCount < this.highWanted) {
        this.exact.push(m)
      }
      mine.forEach((p, i) => {
        if (i < kept) this.give(p, m)
        else this.mayLose[p] = m
      })
      if (steps.spent(mine.length)) yield
    }
    const byId = (a: number, b: number) => (this.group.members[a]!.memberId < this.group.members[b]!.memberId ? -1 : 1)
    this.under.sort(byId)
    this.exact.sort(byId)
  }

  /** What each member owns and may keep, by partition id and then topic, so that topics are given up evenly (KAFKA-16277). */
  private *ownedInKeepingOrder(steps: Steps): Work<number[][]> {
    const { group, claims } = this
    const topicOf = topicIndexes(group)
    const owned: number[][] = group.members.map(() => [])
    for (let p = 0; p < claims.owned.length; p++) {
      const m = claims.owned[p]!
      if (m === NOBODY) continue
      if (this.racksMatter && mismatches(group, m, p)) this.mayLose[p] = m
      else if (!claims.contested.has(p)) owned[m]!.push(p)
      if (steps.spent(4)) yield
    }
    const idOf = (p: number) => p - group.start[topicOf[p]!]!
    for (const mine of owned) {
      mine.sort((a, b) => idOf(a) - idOf(b) || a - b)
      if (steps.spent(32 * mine.length)) yield
    }
    return owned
  }

  unassigned(): number[] {
    const rest: number[] = []
    this.owners.forEach((m, p) => {
      if (m === NOBODY) rest.push(p)
    })
    return rest
  }

  /** Gives partitions to members of their racks, those with the fewest such members first; returns what is left over. */
  *dealInRacks(rest: readonly number[], steps: Steps): Work<number[]> {
    const racks = this.group.racks!
    const membersIn = new Map<number, number>()
    for (const { rack } of this.group.members) membersIn.set(rack, (membersIn.get(rack) ?? 0) + 1)
    const candidates = (p: number) => racks[p]!.reduce((sum, rack) => sum + (membersIn.get(rack) ?? 0), 0)

    const hardestFirst = [...rest].sort((a, b) => candidates(a) - candidates(b))
    const left: number[] = []
    let next = 0
    for (const p of hardestFirst) {
      if (steps.spent(this.under.length + this.exact.length)) yield
      const inRack = (m: number) => racks[p]!.includes(this.group.members[m]!.rack)
      const k = findCyclic(this.under, next, inRack)
      if (k >= 0) {
        const full = this.dealUnder(k, p)
        next = this.under.length === 0 ? 0 : (full ? k : k + 1) % this.under.length
        continue
      }
      const i = this.exact.findIndex(inRack)
      if (i < 0) {
        left.push(p)
        continue
      }
      this.deal(p, this.exact[i]!)
      this.exact.splice(i, 1)
      this.countHigh()
    }
    return left
  }

  /** Gives the rest in turn to those below the lower quota, then one each to those at it. */
  *dealAround(rest: readonly number[], steps: Steps): Work<void> {
    let k = 0
    for (const p of rest) {
      if (steps.spent(8)) yield
      if (this.under.length > 0) {
        k %= this.under.length
        if (!this.dealUnder(k, p)) k++
      } else {
        this.deal(p, this.exact.shift()!)
      }
    }
  }

  /** Gives to the k-th member below the lower quota; whether it is there now and has left their list. */
  private dealUnder(k: number, p: number): boolean {
    const m = this.under[k]!
    this.deal(p, m)
    if (this.counts[m]! < this.low) return false
    this.under.splice(k, 1)
    if (this.highCount < this.highWanted) this.exact.push(m)
    return true
  }

  private deal(p: number, m: number): void {
    this.give(p, m)
    if ((this.mayLose[p] !== NOBODY && this.mayLose[p] !== m) || this.claims.contested.has(p))
      this.transferring.set(p, m)
  }

  private give(p: number, m: number): void {
    this.owners[p] = m
    this.counts[m]!++
  }

  /** Once enough members have the higher quota, the others stay at the lower one. */
  private countHigh(): void {
    this.highCount++
    if (this.highCount === this.highWanted) this.exact.length = 0
  }
}

function findCyclic(list: readonly number[], from: number, test: (item: number) => boolean): number {
  for (let i = 0; i < list.length; i++) {
    const k = (from + i) % list.length
    if (test(list[k]!)) return k
  }
  return -1
}
