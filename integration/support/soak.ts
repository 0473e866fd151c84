/** A long random life of a cooperative group on two brokers, and what came of it. */
import { Group } from './group'
import type { RunningKafka } from './kafka'
import { frozenAtWork, liveAtRandom } from './random-life'
import { now, say } from './wait'

export interface SoakOptions {
  seed: number
  durationMs: number
  onEvent?: (event: string) => void
}

export interface SoakResult {
  events: number
  records: number
  lost: string[]
  /** Two handlers of one partition at once, but for those that were at work when their process froze. */
  atOnce: string[]
  /** Handled again, although the offset behind had been committed before the member joined. */
  needlessly: string[]
  /** Handled more than once: not committed by a member that was killed, or slept past its session. */
  twice: number
  /** From the last event to a group at rest, in ms. */
  settledMs: number
  /** The same from when the session of the member that was killed last had ended, if that was later. */
  settledAfterSessionsMs: number
}

const session = 6000

export async function soak(kafka: RunningKafka, { seed, durationMs, onEvent }: SoakOptions): Promise<SoakResult> {
  const group = await Group.start(kafka, {
    topics: { orders: 12, payments: 6 },
    assigners: ['cooperative-sticky'],
    traffic: 100,
    consumer: { sessionTimeout: session, rebalanceTimeout: 20_000 },
  })
  try {
    const { events, freezes, end, lastKill } = await liveAtRandom(group, {
      seed,
      durationMs,
      members: [3, 8],
      everyMs: [2000, 8000],
      ...(onEvent ? { onEvent } : {}),
    })
    await group.settled({ timeoutMs: 180_000 })
    const settledAt = now()
    await group.producer.stop()
    // What is lost then is the result, not an error.
    await group.ledger.nothingLost().catch(error => say(String(error)))
    const { ledger } = group
    return {
      events: events.length,
      records: ledger.produced,
      lost: ledger.missing(),
      atOnce: ledger
        .overlaps(handling => frozenAtWork(handling, freezes))
        .map(({ first, second }) => JSON.stringify([first, second])),
      needlessly: ledger.needlessDuplicates().map(({ record, by }) => `${record} by ${by}`),
      twice: ledger.duplicates().length,
      settledMs: settledAt - end,
      settledAfterSessionsMs: settledAt - Math.max(end, (lastKill ?? 0) + session),
    }
  } finally {
    await group.close()
  }
}

export function describeSoak(result: SoakResult): string {
  const some = (what: string, list: string[]) =>
    `${what} ${list.length}${list.length > 0 ? `: ${list.slice(0, 3).join(' ')}` : ''}`
  return [
    `${result.events} events, ${result.records} records`,
    some('lost', result.lost),
    some('handled by two at once', result.atOnce),
    some('handled again needlessly', result.needlessly),
    `handled twice after kills and pauses ${result.twice}`,
    `settled ${(result.settledMs / 1000).toFixed(1)} s after the last event, ${(Math.max(0, result.settledAfterSessionsMs) / 1000).toFixed(1)} s after the last session had ended`,
  ].join('\n')
}
