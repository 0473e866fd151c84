/**
 * Members join, stop, die and fall asleep at random. However it went: in the end the group is at rest, each partition
 * has one owner, and no record is lost. RANDOM_SEED repeats the choices of a run; FULL=1 makes it three minutes long.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import type { Member } from './support/member'
import { now, say, sleep } from './support/wait'

const durationMs = (process.env.FULL ? 180 : 30) * 1000
const seed = Number(process.env.RANDOM_SEED ?? Date.now() % 1_000_000)
const most = 6

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

/** mulberry32: numbers in [0, 1), the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

test.each(['sticky', 'cooperative-sticky'])(
  '%s: a random life',
  async assigner => {
    say(`${assigner}: ${durationMs / 1000} s of chance, RANDOM_SEED=${seed}`)
    const random = randomNumbers(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
    const topics = { [`${assigner}-a`]: 12, [`${assigner}-b`]: 5 }
    group = await Group.start(kafka, { topics, assigners: [assigner], traffic: 100 })
    const slept = new Set<string>()
    const resting: Member[] = []
    const done: string[] = []

    const actions: Record<string, () => Promise<string> | string> = {
      join: async () => {
        const stopped = [...group.members.values()].find(member => !member.running && member.host.state === 'running')
        if (stopped && random() < 0.5) {
          stopped.run()
          return `run ${stopped.name} again`
        }
        const [member] = await group.add(`m${group.members.size}`)
        return `join ${member!.name}`
      },
      stop: async () => {
        const joined = group.running.filter(member => member.joined)
        if (joined.length === 0) return 'nobody to stop'
        const member = pick(joined)
        await member.stop()
        return `stop ${member.name}`
      },
      terminate: async () => {
        const member = pick(group.running)
        await member.terminate()
        return `terminate ${member.name}`
      },
      kill: async () => {
        const member = pick(group.running)
        await member.kill()
        return `kill ${member.name}`
      },
      pause: () => {
        const member = pick(group.running)
        member.pause()
        slept.add(member.name)
        resting.push(member)
        return `pause ${member.name}`
      },
      resume: () => {
        const member = resting.splice(Math.floor(random() * resting.length), 1)[0]!
        member.resume()
        return `resume ${member.name}`
      },
    }

    await group.add('m0', 'm1', 'm2')
    const end = now() + durationMs
    while (now() < end) {
      const possible = group.running.length < most ? ['join', 'join'] : []
      if (group.running.length > 1) possible.push('stop', 'terminate', 'kill', 'pause')
      if (resting.length > 0) possible.push('resume', 'resume')
      done.push(await actions[pick(possible)]!())
      await sleep(random() * 3000)
    }
    for (const member of resting) member.resume()
    say(done.join(', '))

    await group.settled({ timeoutMs: 180_000 })
    await group.nothingLost()
    expect(group.ledger.needlessDuplicates()).toEqual([])
    // Only who slept past the end of its session can have worked beside its successor.
    const others = group.ledger
      .overlaps()
      .filter(({ first, second }) => !slept.has(first.member) && !slept.has(second.member))
    expect(others).toEqual([])
  },
  600_000,
)
