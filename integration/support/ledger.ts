/**
 * What became of every record: who handled it, when, and how often. Times are those of the members' processes, on the
 * clock that all of them share (`now` in wait.ts).
 */
import type { CommitEvent } from './member'
import { now, until } from './wait'

export interface RecordAt {
  topic: string
  partition: number
  offset: number
}

/** One call of a handler; `end` is missing while it runs. */
export interface Handling extends RecordAt {
  member: string
  start: number
  end?: number
}

export const partitionKey = ({ topic, partition }: { topic: string; partition: number }): string =>
  `${topic}-${partition}`

const recordKey = (record: RecordAt): string => `${partitionKey(record)}@${record.offset}`

export class Ledger {
  /** When the broker has acknowledged which offsets to the producer, by partition. */
  readonly acked = new Map<string, Map<number, number>>()
  readonly handlings: Handling[] = []
  private readonly open = new Map<string, Handling>()
  private readonly done = new Map<string, Handling[]>()
  private readonly joins = new Map<string, number[]>()
  private readonly deaths = new Map<string, number>()
  private readonly commits: { at: number; key: string; offset: number }[] = []

  acknowledged(record: RecordAt, at = now()): void {
    const key = partitionKey(record)
    const offsets = this.acked.get(key)
    if (offsets) offsets.set(record.offset, at)
    else this.acked.set(key, new Map([[record.offset, at]]))
  }

  handling(member: string, { topic, partition, offset }: RecordAt, at: number): void {
    const handling: Handling = { member, topic, partition, offset, start: at }
    this.handlings.push(handling)
    this.open.set(`${member} ${recordKey(handling)}`, handling)
  }

  handled(member: string, record: RecordAt, at: number): void {
    const key = recordKey(record)
    const handling = this.open.get(`${member} ${key}`)
    if (!handling) throw new Error(`${member} has ended a handler of ${key} that it never started`)
    this.open.delete(`${member} ${key}`)
    handling.end = at
    const all = this.done.get(key)
    if (all) all.push(handling)
    else this.done.set(key, [handling])
  }

  joined(member: string, at: number): void {
    this.joins.set(member, [...(this.joins.get(member) ?? []), at])
  }

  committed({ at, topics }: CommitEvent): void {
    for (const { topic, partitions } of topics)
      for (const { partition, offset } of partitions)
        this.commits.push({ at, key: partitionKey({ topic, partition: Number(partition) }), offset: Number(offset) })
  }

  /** The first call counts: the kill, not the news of it. */
  died(member: string, at: number): void {
    if (!this.deaths.has(member)) this.deaths.set(member, at)
  }

  /** How many records the broker has acknowledged. */
  get produced(): number {
    let sum = 0
    for (const offsets of this.acked.values()) sum += offsets.size
    return sum
  }

  /** Acknowledged records that no handler has finished yet. */
  missing(): string[] {
    const missing: string[] = []
    for (const [key, offsets] of this.acked)
      for (const offset of offsets.keys()) if (!this.done.has(`${key}@${offset}`)) missing.push(`${key}@${offset}`)
    return missing
  }

  /** Waits until every acknowledged record has been handled; fails with those that are not. */
  async nothingLost(timeoutMs = 60_000): Promise<void> {
    await until('that every produced record is handled', () => this.missing().length === 0, {
      timeoutMs,
      explain: () => {
        const missing = this.missing()
        return `${missing.length} of ${this.produced} are not: ${missing.slice(0, 20).join(' ')}`
      },
    })
  }

  /** Records handled more than once, each with all its handlings in the order of their starts. */
  duplicates(): Handling[][] {
    const again = [...this.done.values()].filter(handlings => handlings.length > 1)
    return again.map(handlings => [...handlings].sort((a, b) => a.start - b.start))
  }

  /**
   * Duplicates that at-least-once does not excuse: handled again by a member that joined after an offset beyond the
   * record had been committed, so that it should have started behind it.
   */
  needlessDuplicates(): { record: string; by: string }[] {
    return this.duplicates().flatMap(([, ...later]) =>
      later.flatMap(handling => {
        const joined = (this.joins.get(handling.member) ?? []).filter(at => at <= handling.start).at(-1) ?? 0
        const key = partitionKey(handling)
        const covered = this.commits.some(
          commit => commit.key === key && commit.offset > handling.offset && commit.at < joined,
        )
        return covered ? [{ record: recordKey(handling), by: handling.member }] : []
      }),
    )
  }

  /** Pairs of handlers that ran at once on one partition, whatever their members; without the excused ones. */
  overlaps(excused: (handling: Handling) => boolean = () => false): { first: Handling; second: Handling }[] {
    const byPartition = new Map<string, Handling[]>()
    for (const handling of this.handlings) {
      if (excused(handling)) continue
      const others = byPartition.get(partitionKey(handling))
      if (others) others.push(handling)
      else byPartition.set(partitionKey(handling), [handling])
    }
    const overlaps: { first: Handling; second: Handling }[] = []
    for (const handlings of byPartition.values()) {
      handlings.sort((a, b) => a.start - b.start)
      // The one that ends last so far is the one that a later start may fall into.
      let last: Handling | undefined
      for (const handling of handlings) {
        if (last && this.endOf(last) > handling.start) overlaps.push({ first: last, second: handling })
        if (!last || this.endOf(handling) > this.endOf(last)) last = handling
      }
    }
    return overlaps
  }

  /**
   * The longest time that a partition went without a handler at work between two moments, in ms. Only meaningful for a
   * partition to which the producer writes all the time.
   */
  longestGap(key: string, from: number, to: number): number {
    const inside = this.handlings.filter(
      each => partitionKey(each) === key && each.start < to && this.endOf(each) > from,
    )
    inside.sort((a, b) => a.start - b.start)
    let busyUntil = from
    let gap = 0
    for (const handling of inside) {
      gap = Math.max(gap, handling.start - busyUntil)
      busyUntil = Math.max(busyUntil, this.endOf(handling))
    }
    return Math.max(gap, to - busyUntil)
  }

  private endOf({ end, member }: Handling): number {
    return end ?? this.deaths.get(member) ?? Number.POSITIVE_INFINITY
  }
}
