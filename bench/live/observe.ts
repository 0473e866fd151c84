/** What happened to a group between two moments, from what its members reported. */
import type { Group } from '../../integration/support/group'
import { type Handling, type Ledger, partitionKey } from '../../integration/support/ledger'

/** Starts of handlers by partition, in the order of time. */
export type Starts = Map<string, number[]>

export function startsOf(handlings: readonly Handling[]): Starts {
  const starts: Starts = new Map()
  for (const handling of handlings) {
    const key = partitionKey(handling)
    const list = starts.get(key)
    if (list) list.push(handling.start)
    else starts.set(key, [handling.start])
  }
  for (const list of starts.values()) list.sort((a, b) => a - b)
  return starts
}

/**
 * The longest time between two starts of handlers of one partition, over those that reach into the interval; null
 * where there is no partition. What lasts beyond the end counts up to there.
 */
export function worstGap(starts: Starts, keys: Iterable<string>, from: number, to: number): number | null {
  let worst: number | null = null
  for (const key of keys) {
    const list = starts.get(key) ?? []
    let last = from
    let gap = 0
    for (const start of list) {
      if (start > from && last < to) gap = Math.max(gap, Math.min(start, to) - last)
      last = start
    }
    if (last < to) gap = Math.max(gap, to - last)
    worst = Math.max(worst ?? 0, gap)
  }
  return worst
}

/**
 * The longest time for which a partition had a record and no handler began, over those that reach into the interval; null
 * where there is no partition. Unlike a gap between starts it does not count what the producer or the broker's disk
 * holds up: a record is there from its acknowledgement on.
 */
export function worstPause(
  { acked, handlings }: Ledger,
  keys: Iterable<string>,
  from: number,
  to: number,
): number | null {
  const byPartition = new Map<string, Handling[]>()
  for (const key of keys) byPartition.set(key, [])
  for (const handling of handlings) byPartition.get(partitionKey(handling))?.push(handling)
  let worst: number | null = null
  for (const [key, begun] of byPartition) {
    const records = new Map(acked.get(key))
    let last = Number.NEGATIVE_INFINITY
    let pause = 0
    const standsStill = (since: number, until: number) => {
      if (until > from && since < to) pause = Math.max(pause, Math.min(until, to) - since)
    }
    for (const { offset, start } of begun.sort((a, b) => a.start - b.start)) {
      if (start >= to) break
      standsStill(Math.max(last, acked.get(key)?.get(offset) ?? start), start)
      records.delete(offset)
      last = start
    }
    const oldest = Math.min(...records.values())
    standsStill(Math.max(last, oldest), to)
    worst = Math.max(worst ?? 0, pause)
  }
  return worst
}

/** The longest time without an acknowledged record, in any partition, over those that reach into the interval. */
export function worstSilence({ acked }: Ledger, from: number, to: number): number {
  const times = new Set([...acked.values()].flatMap(records => [...records.values()]))
  return worstGap(new Map([['', [...times].sort((a, b) => a - b)]]), [''], from, to)!
}

/** Records handled again in the interval. */
export function handledAgain(group: Group, from: number, to: number): number {
  return group.ledger.duplicates().filter(([, ...later]) => later.some(({ start }) => start >= from && start < to))
    .length
}

/** Handlers that began in the interval while another of the same partition was at work. */
export function atOnce(group: Group, from: number, to: number, excused?: (handling: Handling) => boolean): number {
  return group.ledger.overlaps(excused).filter(({ second }) => second.start >= from && second.start < to).length
}

/** The newest generation in which a commit was made until then. Each rebalance of a group raises it by one. */
export function generationAt(group: Group, time: number): number {
  let newest = 0
  for (const { commits } of group.members.values())
    for (const { at, generation } of commits) if (at <= time) newest = Math.max(newest, generation)
  return newest
}

/** Owner by partition. */
export type Owners = Map<string, string>

export function movedBetween(before: Owners, after: Owners): string[] {
  return [...after].filter(([key, owner]) => before.get(key) !== owner).map(([key]) => key)
}

/**
 * How many partitions must change hands so that the loads of these members differ by one at most; for members that all
 * read the same topics.
 */
export function fewestMoves(before: Owners, members: string[]): number {
  const loads = members.map(name => [...before.values()].filter(owner => owner === name).length)
  loads.sort((a, b) => b - a)
  const share = Math.floor(before.size / members.length)
  const larger = before.size % members.length
  // The members with the most keep the larger shares.
  const kept = loads.reduce((sum, load, i) => sum + Math.min(load, i < larger ? share + 1 : share), 0)
  return before.size - kept
}
