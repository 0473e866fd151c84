import type { Tier, TierChoice } from './choices'
import type { LiveArrays } from './live-arrays'
import type { PartitionKey } from './partition-key'
import type { ReadReplicas } from './read-replicas'

/** Fetches of a broker after which a partition that came in place must have been asked for. */
const patience = 2

/** kafkajs takes up a join that it was told of within a fetch; after this long it is told again. */
const tellAgainMs = 1000

export class Placement {
  private tier: Tier
  private joinDue = false
  private toldAt = 0
  /** Fetches that began at its broker since a partition came in place. Null once it is proven that this works. */
  private unproven: Map<PartitionKey, number> | null = new Map()
  /** What kafkajs was given when it joined: that it asks for one of these proves nothing. */
  private given = new Set<PartitionKey>()

  constructor(
    choice: TierChoice,
    private readonly live: LiveArrays,
    private readonly replicas: ReadReplicas,
    /** Called once, with what is missing. */
    private readonly fellBack: (missing: string) => void,
  ) {
    this.tier = choice === 'surfaced' ? 'surfaced' : 'in-place'
  }

  get current(): Tier {
    return this.tier
  }

  /** kafkajs has joined: takes over its arrays and puts into them what is to be fetched by now. */
  joined(memberAssignment: unknown, topics: readonly string[], active: readonly PartitionKey[]): void {
    if (this.tier !== 'in-place') return
    if (this.live.adopt(memberAssignment, topics)) {
      this.given = new Set(active)
      this.live.align(this.given)
      this.told()
    } else this.fallBack('the arrays of partitions in GROUP_JOIN')
  }

  /** A partition may be fetched from now on. */
  came(key: PartitionKey): void {
    if (this.tier === 'in-place' && this.live.adopted) {
      this.live.add(key)
      this.unproven?.set(key, 0)
    } else this.joinDue = true
  }

  /** A partition must not be fetched any more. */
  revoked(key: PartitionKey): void {
    this.live.remove(key)
    this.unproven?.delete(key)
  }

  /** A revoked partition has been given up: only now, so that kafkajs could still commit the last of it. */
  left(): void {
    if (this.tier === 'surfaced') this.joinDue = true
  }

  /** Whether the fetcher that asks should make kafkajs join again. */
  takeJoin(): boolean {
    if (!this.joinDue || Date.now() - this.toldAt < tellAgainMs) return false
    this.toldAt = Date.now()
    return true
  }

  /** kafkajs is being told the assignment as it is now. */
  told(): void {
    this.joinDue = false
    this.toldAt = 0
  }

  /** A broker's fetcher begins a fetch. */
  fetching(node: string): void {
    for (const [key, fetches] of this.unproven ?? []) {
      if (!this.replicas.anyOn(node, [key])) continue
      if (fetches < patience) this.unproven?.set(key, fetches + 1)
      else this.fallBack('the arrays of partitions that kafkajs works on')
    }
  }

  /** kafkajs asks for these partitions. One among them that it can have from its arrays only proves that this works. */
  requested(keys: ReadonlySet<PartitionKey>): void {
    for (const key of this.unproven?.keys() ?? []) {
      if (!keys.has(key)) continue
      if (this.given.has(key)) this.unproven?.delete(key)
      else this.unproven = null
    }
  }

  /** In place does not work here. */
  fallBack(missing: string): void {
    this.unproven = null
    if (this.tier === 'surfaced') return
    this.tier = 'surfaced'
    this.joinDue = this.live.adopted
    this.live.release()
    this.fellBack(missing)
  }
}
