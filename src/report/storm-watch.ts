import type { RebalanceReport } from './rebalance-report'

/** When rebalances are too many. */
export interface StormLimits {
  /** More rebalances than this in the window are a storm. Default 40: above what a rolling deploy of 20 members takes. */
  readonly rebalances?: number | undefined
  /** A partition that this member gained or gave up more often than this in the window is flapping. Default 10. */
  readonly moves?: number | undefined
  /** In ms; default 600000. */
  readonly windowMs?: number | undefined
}

export interface Storm {
  readonly rebalances: number
  /** The partition that changed hands most, as `topic-partition`, and how often; empty and 0 where none flaps. */
  readonly partition: string
  readonly moves: number
  readonly windowMs: number
  /** The likely cause from what this member knows. */
  readonly cause: string
}

interface Seen {
  readonly at: number
  readonly changed: readonly string[]
  readonly lostMembership: boolean
  readonly joined: number
  readonly left: number
  readonly unreadable: readonly string[]
}

/** Notices a group that rebalances again and again. Time is passed in; nothing runs between rebalances. */
export class StormWatch {
  private readonly limits: { rebalances: number; moves: number; windowMs: number }
  private seen: Seen[] = []
  private silentUntil = Number.NEGATIVE_INFINITY

  constructor({ rebalances = 40, moves = 10, windowMs = 600_000 }: StormLimits = {}) {
    this.limits = { rebalances, moves, windowMs }
  }

  /** Notes a rebalance. Returns what to warn of, at most once a window. */
  observe(report: RebalanceReport, now: number): Storm | null {
    const { limits } = this
    this.seen = this.seen.filter(({ at }) => at > now - limits.windowMs)
    this.seen.push(noteOf(report, now))
    if (now < this.silentUntil) return null
    const { partition, moves } = this.mostMoved()
    const flapping = moves > limits.moves
    if (this.seen.length <= limits.rebalances && !flapping) return null
    this.silentUntil = now + limits.windowMs
    return {
      rebalances: this.seen.length,
      partition: flapping ? partition : '',
      moves: flapping ? moves : 0,
      windowMs: limits.windowMs,
      cause: this.cause(),
    }
  }

  private mostMoved(): { partition: string; moves: number } {
    const counts = new Map<string, number>()
    let most = { partition: '', moves: 0 }
    for (const { changed } of this.seen) {
      for (const partition of changed) {
        const moves = (counts.get(partition) ?? 0) + 1
        counts.set(partition, moves)
        if (moves > most.moves) most = { partition, moves }
      }
    }
    return most
  }

  private cause(): string {
    const sum = (of: (seen: Seen) => number) => this.seen.reduce((total, seen) => total + of(seen), 0)
    const expelled = sum(seen => Number(seen.lostMembership))
    if (expelled * 3 >= this.seen.length)
      return (
        `the coordinator expelled this member ${expelled} times: its process was paused, or its handlers take longer ` +
        'than the session timeout (eager) or maxPollIntervalMs (cooperative)'
      )
    const joined = sum(seen => seen.joined)
    const left = sum(seen => seen.left)
    if (joined + left > 0)
      return (
        `members come and go: ${joined} joined, ${left} left; look for restarts, failing liveness probes, sessions ` +
        'that time out'
      )
    const unreadable = [...new Set(this.seen.flatMap(seen => seen.unreadable))]
    if (unreadable.length > 0) return `the metadata of ${unreadable.slice(0, 3).join(', ')} cannot be read`
    return 'not known to this member; the log of the leader says who joined and left'
  }
}

function noteOf(report: RebalanceReport, at: number): Seen {
  const { plan } = report
  return {
    at,
    changed: [...keys(report.gained), ...keys(report.gaveUp)],
    lostMembership: report.lostMembership,
    joined: plan?.joined.length ?? 0,
    left: plan?.left.length ?? 0,
    unreadable: plan?.unreadableMembers.map(({ memberId }) => memberId) ?? [],
  }
}

function keys(byTopic: Readonly<Record<string, readonly number[]>>): string[] {
  return Object.entries(byTopic).flatMap(([topic, partitions]) => partitions.map(p => `${topic}-${p}`))
}
