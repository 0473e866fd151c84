/** The parts of the bench: brokers, times, and what is done to the group. */
import type { Times } from '../live/candidates'
import type { Life } from './life'

export interface Part {
  name: string
  title: string
  brokers: 1 | 2
  times: Times
  /** The members that are there from the start. */
  members: string[]
  slowLeader?: { members: number; ms: number }
  steps: string[]
  /** What happens, as often as it is to be timed. */
  live(life: Life, runs: number): Promise<void>
}

const quick: Times = { session: 6000, heartbeat: 500, maxWait: 500 }
/** What kafkajs does when nothing is set. */
const defaults: Times = { session: 30_000, heartbeat: 3000, maxWait: 5000 }

const comeAndGo = (name: string, title: string, brokers: 1 | 2, times: Times): Part => ({
  name,
  title,
  brokers,
  times,
  members: ['a', 'b', 'c'],
  steps: ['stop', 'join'],
  async live(life, runs) {
    const c = life.member('c')
    for (let run = 0; run < runs; run++) {
      await life.step('stop', () => c.stop(), { leaver: 'c' })
      await life.step('join', () => c.run())
    }
  },
})

export const parts: Part[] = [
  comeAndGo('500ms', 'Heartbeats of 500 ms, one broker', 1, quick),
  comeAndGo('500ms-two-brokers', 'Heartbeats of 500 ms, two brokers', 2, quick),
  comeAndGo('defaults', "kafkajs' default times, one broker", 1, defaults),
  comeAndGo('defaults-two-brokers', "kafkajs' default times, two brokers", 2, defaults),
  {
    name: 'faults',
    title: 'Slow handlers, frozen and killed members; heartbeats of 500 ms, one broker',
    brokers: 1,
    times: quick,
    members: ['a', 'b', 'c'],
    steps: ['slow handler', 'pause', 'kill'],
    async live(life, runs) {
      let last = life.member('c')
      for (let run = 0; run < runs; run++) {
        await joinBesideSlowHandler(life, last.name)
        // Counted, not timed: once is enough.
        if (run === 0) await life.freeze('pause', last)
        await life.step('kill', () => last.kill())
        if (run + 1 < runs) {
          const name = `c${run + 2}`
          await life.quietly(() => life.start(name))
          last = life.member(name)
        }
      }
    },
  },
  {
    name: 'slow-leader',
    title: 'A leader that plans for 4 s; heartbeats of 500 ms, one broker',
    brokers: 1,
    times: quick,
    members: ['a', 'b'],
    slowLeader: { members: 3, ms: 4000 },
    steps: ['slow leader'],
    async live(life, runs) {
      for (let run = 0; run < runs; run++) {
        if (run > 0) await life.quietly(() => life.member('c').stop())
        await life.step('slow leader', async () => {
          if (run > 0) life.member('c').run()
          else await life.start('c')
        })
      }
    },
  },
]

/** One partition of `a` or `b` is handled in 1.5 s every 2 s while the member joins. */
async function joinBesideSlowHandler(life: Life, name: string): Promise<void> {
  await life.quietly(() => life.member(name).stop())
  const slow = await life.slowOnePartition({ ms: 1500, everyMs: 2000 })
  await life.step('slow handler', () => life.member(name).run(), { beside: slow.owner })
  await slow.end()
}
