import type { PartitionKey } from './partition-key'

/**
 * Where an ownership stands:
 * - `waiting`: assigned, but not to be fetched yet: `onPartitionsAssigned` has not returned, or a batch of an earlier
 *   ownership still runs here;
 * - `active`: kafkajs may fetch it;
 * - `draining`: revoked, not fetched any more, still ours until its last batch and the commits of it are through.
 */
export type Phase = 'waiting' | 'active' | 'draining'

/** One unbroken ownership of a partition, from the SyncGroup that brought it to its hand-over or loss. */
export class Ownership {
  phase: Phase = 'waiting'
  /** The user has been told that it is assigned. */
  announced = false
  /** It has been active. */
  activated = false
  /** The user has been told that it is revoked. */
  revocationTold = false
  /** Of the last round that assigned it. */
  generation = -1
  /** False while the position that kafkajs remembers may be one of an earlier ownership. */
  positionTrusted = false

  constructor(readonly key: PartitionKey) {}
}

/** Records of one partition that were handed to kafkajs and may still be worked on. */
export interface Delivery {
  readonly ownership: Ownership
  /** The fetcher that got it. */
  readonly node: string
  /** When its handler began, or was last seen to get on with it; null while it waits for a free worker. */
  progressAt: number | null
  /** Taken back before its handler began; kafkajs passes over it, and resolves it as if it had been handled. */
  withdrawn: boolean
  /** Empties the batch. */
  withdraw?: () => void
}

/** What an assignment changes. */
export interface Change {
  readonly gained: readonly Ownership[]
  readonly revoked: readonly Ownership[]
  /** Taken back before they were handed over. */
  readonly returned: readonly Ownership[]
}

/**
 * Who may do what with which partition. Plain bookkeeping: it does nothing by itself.
 *
 * What it guarantees: a partition counts as owned until it is surrendered or lost; it is never surrendered while a
 * batch of it runs; no two batches of it run in this process at once.
 */
export class Fence {
  private readonly ownerships = new Map<PartitionKey, Ownership>()
  private readonly deliveries = new Map<PartitionKey, Delivery>()
  /** Partitions for which kafkajs' present OffsetManager may hold a position. */
  private readonly remembered = new Set<PartitionKey>()

  /** What JoinGroup claims as owned: all that this member may still be working on. */
  get owned(): PartitionKey[] {
    return [...this.ownerships.keys()]
  }

  get active(): PartitionKey[] {
    return this.keysIn('active')
  }

  get draining(): Ownership[] {
    return [...this.ownerships.values()].filter(({ phase }) => phase === 'draining')
  }

  /** Assigned to this member in the last round, whether it is fetched yet or not. */
  get assigned(): PartitionKey[] {
    return [...this.ownerships.values()].filter(({ phase }) => phase !== 'draining').map(({ key }) => key)
  }

  get hasDeliveries(): boolean {
    return this.deliveries.size > 0
  }

  ownership(key: PartitionKey): Ownership | undefined {
    return this.ownerships.get(key)
  }

  holds(ownership: Ownership): boolean {
    return this.ownerships.get(ownership.key) === ownership
  }

  /** Takes a new assignment. What is no longer in it drains; what is new waits until it is activated. */
  assign(next: ReadonlySet<PartitionKey>, generation: number): Change {
    const gained: Ownership[] = []
    const returned: Ownership[] = []
    const revoked: Ownership[] = []
    for (const ownership of this.ownerships.values()) {
      if (next.has(ownership.key) || ownership.phase === 'draining') continue
      ownership.phase = 'draining'
      revoked.push(ownership)
    }
    for (const key of next) {
      const ownership = this.ownerships.get(key)
      if (ownership?.phase === 'draining' && !ownership.revocationTold) {
        ownership.phase = ownership.activated ? 'active' : 'waiting'
        returned.push(ownership)
      } else if (!ownership || ownership.phase === 'draining') {
        const fresh = new Ownership(key)
        this.ownerships.set(key, fresh)
        gained.push(fresh)
      }
      this.ownerships.get(key)!.generation = generation
    }
    return { gained, revoked, returned }
  }

  /** Waiting, announced, and no batch of an earlier ownership runs any more. */
  get ready(): Ownership[] {
    return [...this.ownerships.values()].filter(
      ({ phase, announced, key }) => phase === 'waiting' && announced && !this.deliveries.has(key),
    )
  }

  activate(ownership: Ownership): void {
    ownership.phase = 'active'
    ownership.activated = true
    ownership.positionTrusted = !this.remembered.has(ownership.key)
    this.remembered.add(ownership.key)
  }

  /** Draining, and nothing of them is being worked on. */
  get drained(): Ownership[] {
    return this.draining.filter(({ key }) => this.deliveries.get(key)?.withdrawn ?? true)
  }

  /** Gives an ownership up; the next JoinGroup no longer claims it. */
  surrender(ownership: Ownership): void {
    if (this.holds(ownership)) this.ownerships.delete(ownership.key)
  }

  /** Everything owned may belong to others already. Returns what was lost. Running batches are fenced off. */
  lose(): Ownership[] {
    const lost = [...this.ownerships.values()]
    this.ownerships.clear()
    return lost
  }

  /** kafkajs has built a new OffsetManager: it remembers no positions but those that it reads now. */
  forgetPositions(): void {
    this.remembered.clear()
    for (const ownership of this.ownerships.values()) {
      if (ownership.phase !== 'active') continue
      ownership.positionTrusted = !this.deliveries.get(ownership.key)?.withdrawn
      this.remembered.add(ownership.key)
    }
    // A batch that still runs writes its position into whatever OffsetManager there is.
    for (const key of this.deliveries.keys()) this.remembered.add(key)
  }

  /** The position is what the user wants, whatever it was before. */
  trustPosition(key: PartitionKey): void {
    const ownership = this.ownerships.get(key)
    if (ownership) ownership.positionTrusted = true
  }

  /** Whether this fetcher may ask for records of the partition now. */
  mayFetch(key: PartitionKey, node: string): boolean {
    if (this.ownerships.get(key)?.phase !== 'active') return false
    const running = this.deliveries.get(key)
    return !running || running.node === node
  }

  /** Notes that records are handed to kafkajs. */
  deliver(ownership: Ownership, node: string): Delivery {
    const delivery: Delivery = { ownership, node, progressAt: null, withdrawn: false }
    this.deliveries.set(ownership.key, delivery)
    return delivery
  }

  /** The running batch of the partition, if any. */
  delivery(key: PartitionKey): Delivery | undefined {
    return this.deliveries.get(key)
  }

  /** Takes the batch of a partition back whose handler has not begun, so that nobody has to wait for its turn. */
  withdraw(key: PartitionKey): void {
    const delivery = this.deliveries.get(key)
    if (!delivery?.withdraw || delivery.progressAt !== null) return
    delivery.withdraw()
    delivery.withdrawn = true
    delivery.ownership.positionTrusted = false
  }

  /** Whether some handler has made no progress for so long. */
  isStuck(ms: number): boolean {
    const before = Date.now() - ms
    return [...this.deliveries.values()].some(({ progressAt }) => progressAt !== null && progressAt < before)
  }

  ended(delivery: Delivery): void {
    if (this.deliveries.get(delivery.ownership.key) === delivery) this.deliveries.delete(delivery.ownership.key)
  }

  /** A fetcher is serial: when it fetches again, everything that it was given before is done, even what threw. */
  endedOn(isDone: (node: string) => boolean): void {
    for (const [key, { node }] of this.deliveries) if (isDone(node)) this.deliveries.delete(key)
  }

  private keysIn(phase: Phase): PartitionKey[] {
    return [...this.ownerships.values()].filter(each => each.phase === phase).map(({ key }) => key)
  }
}

/** The last round that assigned any of these. */
export const generationOf = (ownerships: readonly Ownership[]): number =>
  Math.max(-1, ...ownerships.map(({ generation }) => generation))
