/** The section of docs/bench-pause.md about stop() while the group rebalances. It is measured, and written, by itself too. */
import { pauseCandidates } from '../live/candidates'
import { ms, table } from '../live/markdown'
import { type Stop, type Stops, times } from './stop-joining'

export interface StopsResult {
  date: string
  runs: number
  candidates: Stops[]
}

const title = '## stop() while JoinGroup waits; heartbeats of 500 ms, one broker'
const goalMs = 1000

/** The page with this section at its end, in place of an older one. */
export const withStops = (page: string, result: StopsResult) =>
  `${page.split(title)[0]!.trimEnd()}\n\n${section(result)}\n`

const section = (result: StopsResult) => `${title}

${result.runs} runs, ${result.date}. Session ${ms(times.session)} ms, heartbeat ${ms(times.heartbeat)} ms, kafkajs' \`maxWaitTimeInMs\` ${ms(times.maxWait)}.

The process of \`a\` is stopped just before \`c\` joins, so the coordinator makes all others wait until the session of \`a\` has ended; a second and a half
into that \`b\`, which was in the group, and \`c\` are told to stop. **returns**: until \`stop()\` does. **out of the group**: until the
coordinator, asked every 10 ms, does not name the member any more; *never* where it became one after stop() had returned. Best and worst of the runs.
The goal, ≤ ${ms(goalMs)} ms for each of them in both tiers, counts the best: ${goalMet(result) ? 'met' : '**missed**'}.

${stopsTable(result)}`

export function stopsTable({ candidates }: StopsResult): string {
  const rows = (['again', 'first'] as const).flatMap(which =>
    candidates.map(stops => [
      which === 'again' ? '`b`, which was a member' : '`c`, which joins for the first time',
      pauseCandidates.find(({ id }) => id === stops.candidate)!.title,
      range(stops[which].map(({ returned }) => returned)),
      range(stops[which].map(({ left }) => left)),
    ]),
  )
  return table(['', '', 'returns', 'out of the group'], rows)
}

function goalMet({ candidates }: StopsResult): boolean {
  const ours = candidates.filter(({ candidate }) => candidate === 'in-place' || candidate === 'surfaced')
  const best = (stops: Stop[], of: (stop: Stop) => number) => Math.min(...stops.map(of))
  return ours
    .flatMap(({ again, first }) => [again, first])
    .flatMap(stops => [
      best(stops, ({ returned }) => returned),
      best(stops, ({ left }) => left ?? Number.POSITIVE_INFINITY),
    ])
    .every(reached => reached <= goalMs)
}

function range(times: (number | null)[]): string {
  const words = times
    .map(time => time ?? Number.POSITIVE_INFINITY)
    .sort((a, b) => a - b)
    .map(inWords)
  const [best, worst] = [words[0]!, words.at(-1)!]
  return best === worst ? best : `${best}–${worst}`
}

const inWords = (time: number) => (Number.isFinite(time) ? ms(time) : 'never')
