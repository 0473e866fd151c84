/**
 * A group to which things happen at random: members join, stop, die and fall asleep. The same seed makes the same
 * choices; what they hit depends on the moment.
 */
import type { Group } from './group'
import type { Handling } from './ledger'
import type { Member } from './member'
import { now, sleep } from './wait'

export interface RandomLife {
  seed: number
  durationMs: number
  /** Members that run, at least and at most. It begins with the least. */
  members: [number, number]
  /** Between two events, at least and at most. */
  everyMs: [number, number]
  onEvent?: (event: string) => void
}

/** A process that stood still. */
export interface Freeze {
  member: string
  from: number
  to: number
}

export interface Lived {
  events: string[]
  freezes: Freeze[]
  /** When the last event was over: the continuing of whoever was still asleep. */
  end: number
  /** When a member was killed last. Its session ends later than the events. */
  lastKill: number | undefined
}

/** mulberry32: numbers in [0, 1), the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Resolves when it is over and every member that slept has been continued. Does not wait for the group to settle. */
export async function liveAtRandom(group: Group, life: RandomLife): Promise<Lived> {
  const random = randomNumbers(life.seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const [least, most] = life.members
  const asleep: { member: Member; from: number }[] = []
  const lived: Lived = { events: [], freezes: [], end: 0, lastKill: undefined }

  function resume({ member, from }: { member: Member; from: number }): void {
    lived.freezes.push({ member: member.name, from, to: now() })
    member.resume()
  }

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
      lived.lastKill = now()
      await member.kill()
      return `kill ${member.name}`
    },
    pause: () => {
      const member = pick(group.running)
      asleep.push({ member, from: now() })
      member.pause()
      return `pause ${member.name}`
    },
    resume: () => {
      const sleeper = asleep.splice(Math.floor(random() * asleep.length), 1)[0]!
      resume(sleeper)
      return `resume ${sleeper.member.name}`
    },
  }

  await group.add(...Array.from({ length: least }, (_, i) => `m${i}`))
  const end = now() + life.durationMs
  while (now() < end) {
    await sleep(life.everyMs[0] + random() * (life.everyMs[1] - life.everyMs[0]))
    const possible = group.running.length < most ? ['join', 'join'] : []
    if (group.running.length > least) possible.push('stop', 'terminate', 'kill', 'pause')
    // Those that sleep are members too when they wake.
    if (asleep.length > 0 && group.running.length < most) possible.push('resume', 'resume')
    const event = await actions[pick(possible)]!()
    lived.events.push(event)
    life.onEvent?.(event)
  }
  for (const sleeper of asleep) resume(sleeper)
  lived.end = now()
  return lived
}

/** Whether this handler was at work when its process froze: nothing can keep it from going on where it stopped. */
export function frozenAtWork({ member, start, end = Number.POSITIVE_INFINITY }: Handling, freezes: Freeze[]): boolean {
  return freezes.some(freeze => freeze.member === member && start < freeze.to && end > freeze.to)
}
