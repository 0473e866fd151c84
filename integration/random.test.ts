/**
 * Members join, stop, die and fall asleep at random. However it went: in the end the group is at rest, each partition
 * has one owner, and no record is lost. RANDOM_SEED repeats the choices of a run; FULL=1 makes it three minutes long.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import { liveAtRandom } from './support/random-life'
import { say } from './support/wait'

const durationMs = (process.env.FULL ? 180 : 15) * 1000
const seed = Number(process.env.RANDOM_SEED ?? Date.now() % 1_000_000)

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

test.each(['sticky', 'cooperative-sticky'])(
  '%s: a random life',
  async assigner => {
    say(`${assigner}: ${durationMs / 1000} s of chance, RANDOM_SEED=${seed}`)
    const topics = { [`${assigner}-a`]: 12, [`${assigner}-b`]: 5 }
    group = await Group.start(kafka, { topics, assigners: [assigner], traffic: 100 })
    const { events, freezes } = await liveAtRandom(group, { seed, durationMs, members: [1, 6], everyMs: [0, 3000] })
    say(events.join(', '))

    await group.settled({ timeoutMs: 180_000 })
    await group.nothingLost()
    expect(group.ledger.needlessDuplicates()).toEqual([])
    // Only who slept past the end of its session can have worked beside its successor.
    const slept = new Set(freezes.map(({ member }) => member))
    const others = group.ledger
      .overlaps()
      .filter(({ first, second }) => !slept.has(first.member) && !slept.has(second.member))
    expect(others).toEqual([])
  },
  600_000,
)
