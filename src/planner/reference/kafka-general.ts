import type { Steps, Work } from '../steps'
import { type KafkaGroup, NO_GENERATION, NOBODY, type Owners, subscribersByTopic, topicIndexes } from './group'
import type { KafkaClaims } from './kafka-claims'
import type { KafkaAssignment } from './kafka-constrained'
import { Movements } from './kafka-movements'
import { LoadOrder } from './load-order'
import { mismatches } from './racks'

/**
 * Kafka's algorithm for differing subscriptions: everybody keeps what it owns, the rest goes to the least loaded
 * subscriber, then single partitions move from members to others that hold at least two fewer, until no such move is
 * left. Neither the balance nor the number of moves is the best possible.
 */
export function* assignGeneral(
  group: KafkaGroup,
  order: readonly number[],
  claims: KafkaClaims,
  racksMatter: boolean,
  steps: Steps,
): Work<KafkaAssignment> {
  const state = new GeneralState(group, order, claims, racksMatter)
  const revoked = state.keep()
  const unassigned = state.unassigned()
  const initializing = state.heaviest() === 0
  if (racksMatter) yield* state.assign(unassigned, true, steps)
  yield* state.assign(unassigned, false, steps)

  state.setFixedMembersAside()
  const before = { holder: state.holder.slice(), score: state.score() }
  if (!revoked)
    yield* state.perform(
      unassigned.filter(p => state.isShared(p)),
      steps,
    )
  const modified = yield* state.perform(
    state.all.filter(p => state.isShared(p)),
    steps,
  )
  if (!initializing && modified && state.score() >= before.score) return { owners: before.holder, transferring: null }
  return { owners: state.holder, transferring: null }
}

class GeneralState {
  readonly holder: Owners
  /** All partitions, those with the fewest possible owners first. */
  readonly all: readonly number[]
  private readonly sizes: Int32Array
  private readonly topicOf: Int32Array
  /** In hash order. */
  private readonly subscribers: readonly (readonly number[])[]
  private readonly subscriptions: readonly ReadonlySet<number>[]
  private readonly maxSizes: readonly number[]
  private active: LoadOrder
  /** Where a claim of an older generation says that a partition was. */
  private readonly previous: Owners
  private readonly movements: Movements
  private balanced: boolean | undefined

  constructor(
    private readonly group: KafkaGroup,
    order: readonly number[],
    claims: KafkaClaims,
    private readonly racksMatter: boolean,
  ) {
    this.holder = claims.owned.slice()
    this.topicOf = topicIndexes(group)
    this.subscribers = subscribersByTopic(group, order)
    this.subscriptions = group.members.map(member => new Set(member.topics))
    this.maxSizes = group.members.map(({ topics }) =>
      topics.reduce((sum, t) => sum + group.start[t + 1]! - group.start[t]!, 0),
    )
    this.sizes = new Int32Array(group.members.length)
    this.previous = previousOwners(group, order, claims.maxGeneration)
    this.movements = new Movements(group, this.topicOf)
    this.active = new LoadOrder(group, this.sizes)
    const width = (p: number) => this.subscribers[this.topicOf[p]!]!.length
    this.all = Array.from(this.holder.keys()).sort((a, b) => width(a) - width(b) || a - b)
  }

  /** Drops claims on topics that are not subscribed and on partitions of foreign racks; whether there was one. */
  keep(): boolean {
    let dropped = false
    this.holder.forEach((m, p) => {
      if (m === NOBODY) return
      if (this.subscribes(m, p) && !this.mismatches(m, p)) {
        this.sizes[m]!++
      } else {
        this.holder[p] = NOBODY
        dropped = true
      }
    })
    this.active = new LoadOrder(this.group, this.sizes)
    return dropped
  }

  unassigned(): number[] {
    return this.all.filter(p => this.holder[p] === NOBODY)
  }

  heaviest(): number {
    return this.sizes.reduce((max, size) => Math.max(max, size), 0)
  }

  *assign(partitions: readonly number[], inRack: boolean, steps: Steps): Work<void> {
    for (const p of partitions) {
      if (steps.spent(this.sizes.length)) yield
      if (this.holder[p] !== NOBODY) continue
      const m = this.active.find(
        candidate => this.subscribes(candidate, p) && !(inRack && this.mismatches(candidate, p)),
      )
      if (m !== undefined) this.put(p, m)
    }
  }

  /** Whether more than one member may have the partition. */
  isShared(p: number): boolean {
    return this.subscribers[this.topicOf[p]!]!.length >= 2
  }

  /** Members that have all they can and share no topic with anybody take no part in balancing. */
  setFixedMembersAside(): void {
    const taking = this.sizes.map((size, m) => (size < this.maxSizes[m]! ? 1 : 0))
    this.holder.forEach((m, p) => {
      if (this.isShared(p)) taking[m] = 1
    })
    this.active = new LoadOrder(this.group, this.sizes, m => taking[m] === 1)
  }

  /** Moves partitions of the list as long as the group is not balanced and something moves; whether anything did. */
  *perform(partitions: readonly number[], steps: Steps): Work<boolean> {
    let modifiedEver = false
    let modified: boolean
    do {
      modified = false
      for (const p of partitions) {
        if (this.isBalanced()) break
        const moved = this.improve(p)
        if (moved) modified = true
        // After a move isBalanced looks at everything again.
        if (steps.spent(this.sizes.length + (moved ? this.holder.length : 0))) yield
      }
      modifiedEver ||= modified
    } while (modified)
    return modifiedEver
  }

  private improve(p: number): boolean {
    const size = this.sizes[this.holder[p]!]!
    const before = this.previous[p]!
    if (before !== NOBODY && this.active.has(before) && size > this.sizes[before]! + 1) {
      this.move(p, before)
      return true
    }
    if (!this.subscribers[this.topicOf[p]!]!.some(m => size > this.sizes[m]! + 1)) return false
    this.move(p, this.active.find(m => this.subscribes(m, p))!)
    return true
  }

  private move(wanted: number, to: number): void {
    const p = this.movements.substitute(wanted, this.holder[wanted]!, to)
    const from = this.holder[p]!
    this.movements.record(p, from, to)
    this.active.change(from, -1)
    this.holder[p] = NOBODY
    this.put(p, to)
  }

  private put(p: number, m: number): void {
    this.holder[p] = m
    this.active.change(m, 1)
    this.balanced = undefined
  }

  /** Whether no partition is held by a member with at least two more than another that could take it. */
  private isBalanced(): boolean {
    return (this.balanced ??= this.findNoMove())
  }

  private findNoMove(): boolean {
    if (this.active.spread() <= 1) return true
    const heaviestOf = new Int32Array(this.group.topics.length)
    this.holder.forEach((m, p) => {
      const t = this.topicOf[p]!
      heaviestOf[t] = Math.max(heaviestOf[t]!, this.sizes[m]!)
    })
    return !this.active.some(
      m =>
        this.sizes[m] !== this.maxSizes[m] &&
        this.group.members[m]!.topics.some(t => this.sizes[m]! + 1 < heaviestOf[t]!),
    )
  }

  /** Sum of the differences in load over all pairs of members. */
  score(): number {
    const loads = this.active.loads()
    return loads.reduce((sum, load, i) => sum + load * (2 * i - loads.length + 1), 0)
  }

  private subscribes(m: number, p: number): boolean {
    return this.subscriptions[m]!.has(this.topicOf[p]!)
  }

  private mismatches(m: number, p: number): boolean {
    return this.racksMatter && mismatches(this.group, m, p)
  }
}

function previousOwners(group: KafkaGroup, order: readonly number[], maxGeneration: number): Owners {
  const previous: Owners = new Int32Array(group.start.at(-1)!).fill(NOBODY)
  const generations = new Int32Array(previous.length).fill(NO_GENERATION)
  for (const m of order) {
    const { claims, generation } = group.members[m]!
    if (generation >= maxGeneration) continue
    for (const p of claims) {
      if (previous[p] !== NOBODY && generation <= generations[p]!) continue
      previous[p] = m
      generations[p] = generation
    }
  }
  return previous
}
