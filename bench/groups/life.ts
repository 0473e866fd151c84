/** One candidate's group: six members, eight, four, and three after a kill; and what each change did. */
import { Group } from '../../integration/support/group'
import type { RunningKafka } from '../../integration/support/kafka'
import type { Member } from '../../integration/support/member'
import { now, sleep, until } from '../../integration/support/wait'
import { addMembers, type Candidate, type Times } from '../live/candidates'
import { atOnce, fewestMoves, handledAgain, movedBetween, type Owners, worstPause, worstSilence } from '../live/observe'

export const topicCount = 3
export const partitionsEach = 24
/** Records per second in each partition. */
export const rate = 5
export const times: Times = { session: 10_000, heartbeat: 3000, maxWait: 500 }
const quietMs = 2000

/** Members by process. A kafkajs consumer has one of its own; a JVM for each of eight would fill the machine. */
const javaProcesses = [['m1', 'm2', 'm3'], ['m4'], ['m5', 'm6'], ['m7', 'm8']]

export interface Change {
  change: string
  kept: number
  moved: number
  fewest: number
  /** From the change to the last member's new assignment, in ms. */
  durationMs: number
  quietPause: number | null
  keptPause: number | null
  movedPause: number | null
  /** Without an acknowledged record, from the quiet time on. */
  silenceMs: number
  again: number
  atOnce: number
}

export interface LifeResult {
  candidate: string
  changes: Change[]
  records: number
  never: number
}

export async function live(kafka: RunningKafka, candidate: Candidate): Promise<LifeResult> {
  const topics = Object.fromEntries(
    Array.from({ length: topicCount }, (_, i) => [`${candidate.id}-${i + 1}`, partitionsEach]),
  )
  const group = await Group.start(kafka, {
    topics,
    assigners: [],
    groupId: candidate.id,
    concurrency: 4,
    manualCommit: true,
    run: { autoCommit: false },
    traffic: topicCount * partitionsEach * rate,
    trafficEveryMs: 1000 / rate,
  })
  const changes: Change[] = []
  let owners: Owners = new Map()

  const settle = async () => {
    owners = (await group.settled({ everyMs: 200 })).owners
    await sleep(quietMs)
  }

  async function measure(name: string, change: () => unknown): Promise<void> {
    const caughtUp = () => group.ledger.missing().length < topicCount * partitionsEach
    await until('that the backlog is gone', caughtUp, { everyMs: 200 })
    await sleep(quietMs)
    const before = owners
    const from = now()
    await change()
    await settle()
    const to = now()
    const moved = movedBetween(before, owners)
    const kept = [...owners.keys()].filter(key => !moved.includes(key))
    const { ledger } = group
    changes.push({
      change: name,
      kept: kept.length,
      moved: moved.length,
      fewest: fewestMoves(before, [...new Set(owners.values())]),
      durationMs: lastJoin(group.running, from) - from,
      quietPause: worstPause(ledger, owners.keys(), from - quietMs, from),
      keptPause: worstPause(ledger, kept, from, to),
      movedPause: worstPause(ledger, moved, from, to),
      silenceMs: worstSilence(ledger, from - quietMs, to),
      again: handledAgain(group, from, to),
      atOnce: atOnce(group, from, to),
    })
  }

  try {
    const processes = candidate.client === 'java' ? javaProcesses : javaProcesses.flat().map(name => [name])
    // All eight are there from the start, so that no process starts in what is measured; two of them leave again.
    await Promise.all(processes.map(names => addMembers(group, candidate, times, { names })))
    await settle()
    const those = (...names: string[]) => names.map(name => group.member(name))
    await Promise.all(those('m7', 'm8').map(member => member.stop()))
    await settle()
    await measure('6 → 8', () => {
      for (const member of those('m7', 'm8')) member.run()
    })
    await measure('8 → 4', () => Promise.all(those('m5', 'm6', 'm7', 'm8').map(member => member.stop())))
    await measure('4 → 3 (kill)', () => group.member('m4').kill())
    await group.producer.stop()
    const { ledger } = group
    await until('that all is handled', () => ledger.missing().length === 0, { timeoutMs: 15_000 }).catch(() => {})
    return { candidate: candidate.id, changes, records: ledger.produced, never: ledger.missing().length }
  } finally {
    await group.close()
  }
}

const lastJoin = (members: Member[], from: number): number =>
  Math.max(from, ...members.flatMap(({ joins }) => joins.map(({ at }) => at)))
