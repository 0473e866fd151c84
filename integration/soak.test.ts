/**
 * A minute of `npm run soak`: three to eight cooperative members on two brokers, to which something happens every
 * 2–8 s. RANDOM_SEED repeats the choices of a run; FULL=1 makes it ten minutes long.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type RunningKafka, startKafka } from './support/kafka'
import { describeSoak, soak } from './support/soak'
import { say } from './support/wait'

const durationMs = (process.env.FULL ? 10 : 1) * 60_000
const seed = Number(process.env.RANDOM_SEED ?? Date.now() % 1_000_000)

let kafka: RunningKafka

beforeAll(async () => {
  kafka = await startKafka({ nodes: 2 })
})
afterAll(() => kafka?.remove())

test('a soak: none lost, none handled by two at once, settled in the end', async () => {
  say(`${durationMs / 60_000} min of chance, RANDOM_SEED=${seed}`)
  const events: string[] = []
  const result = await soak(kafka, { seed, durationMs, onEvent: event => events.push(event) })
  say(`${events.join(', ')}\n${describeSoak(result)}`)
  expect(result.lost.slice(0, 3)).toEqual([])
  expect(result.atOnce.slice(0, 3)).toEqual([])
  expect(result.needlessly.slice(0, 3)).toEqual([])
}, 1_200_000)
