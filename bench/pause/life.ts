/** The life of one group: what is done to it, and what each step did to its partitions. */
import { Group } from '../../integration/support/group'
import type { RunningKafka } from '../../integration/support/kafka'
import { type Handling, partitionKey } from '../../integration/support/ledger'
import type { Member, SlowPartition } from '../../integration/support/member'
import { type Freeze, frozenAtWork } from '../../integration/support/random-life'
import { now, sleep, until } from '../../integration/support/wait'
import { addMembers, type Candidate } from '../live/candidates'
import {
  atOnce,
  fewestMoves,
  generationAt,
  handledAgain,
  movedBetween,
  type Owners,
  startsOf,
  worstGap,
} from '../live/observe'
import type { Part } from './parts'

export const partitions = 12
/** Between two records of a partition, in ms. */
export const nominalMs = 25
/** How long nothing happens before and after a step. */
const quietMs = 1500

export interface Step {
  step: string
  from: number
  to: number
  /** Partitions whose owner stayed; in a step with a slow handler, those of the other members. */
  kept: number
  keptGap: number | null
  /** The worst gap of the same partitions in the quiet time before. */
  quietGap: number | null
  moved: number
  fewest: number
  movedGap: number | null
  generations: number
  twice: number
  atOnce: number
  /** From the end of the leaver's last handler to the end of its stop(), which leaves the group; null in other steps. */
  leaveMs: number | null
}

/** A time in which a partition was handled by one member without a visible pause. */
export interface Stretch {
  partition: number
  member: string
  from: number
  to: number
}

export interface LifeResult {
  candidate: string
  steps: Step[]
  /** Records that nobody had handled some time after the end. */
  never: number
  /** From the first step on. */
  stretches: Stretch[]
}

/** Without members yet, with a topic of its own and steady traffic. */
export function startGroup(kafka: RunningKafka, topic: string): Promise<Group> {
  return Group.start(kafka, {
    topics: { [topic]: partitions },
    assigners: [],
    groupId: topic,
    concurrency: 4,
    traffic: (partitions * 1000) / nominalMs,
    trafficEveryMs: nominalMs,
  })
}

export class Life {
  private readonly steps: Step[] = []
  private readonly freezes: Freeze[] = []
  private owners: Owners = new Map()

  private constructor(
    private readonly topic: string,
    private readonly group: Group,
    private readonly candidate: Candidate,
    private readonly part: Part,
  ) {}

  /** The whole life of a group of its own. */
  static async of(kafka: RunningKafka, candidate: Candidate, part: Part, runs: number): Promise<LifeResult> {
    const topic = `${part.name}-${candidate.id}`
    const group = await startGroup(kafka, topic)
    try {
      const life = new Life(topic, group, candidate, part)
      await Promise.all(part.members.map(name => life.start(name)))
      await life.settle()
      await sleep(quietMs)
      await part.live(life, runs)
      return await life.end()
    } finally {
      await group.close()
    }
  }

  member(name: string): Member {
    return this.group.member(name)
  }

  async start(name: string): Promise<void> {
    const { times, slowLeader } = this.part
    await addMembers(this.group, this.candidate, times, { names: [name], ...(slowLeader ? { slowLeader } : {}) })
  }

  /** A change that is not measured. */
  async quietly(change: () => unknown): Promise<void> {
    await change()
    await this.settle()
    await sleep(quietMs)
  }

  /** @param beside the owner of a partition whose handler is slow: it is not looked at, and has a backlog. */
  async step(
    name: string,
    change: () => unknown,
    { beside, leaver }: { beside?: string; leaver?: string } = {},
  ): Promise<void> {
    if (!beside) await this.rest()
    const before = this.owners
    const from = now()
    await change()
    const changed = now()
    // A change may have more than one outcome on its way.
    const between = this.owners
    const after = await this.settle()
    await sleep(quietMs)
    const to = now()
    const moved = new Set([...movedBetween(before, between), ...movedBetween(between, after)])
    const kept = [...after].filter(([key, owner]) => !moved.has(key) && owner !== beside).map(([key]) => key)
    const generations = generationAt(this.group, to) - generationAt(this.group, from)
    if (generations === 0) throw new Error(`${this.topic}: nothing was rebalanced in the step ${name}`)
    const starts = startsOf(this.group.ledger.handlings)
    const excused = (handling: Handling) => frozenAtWork(handling, this.freezes)
    const hops: [Owners, Owners][] =
      between === before
        ? [[before, after]]
        : [
            [before, between],
            [between, after],
          ]
    this.steps.push({
      step: name,
      from,
      to,
      kept: kept.length,
      keptGap: worstGap(starts, kept, from, to),
      quietGap: worstGap(starts, kept, from - quietMs, from),
      moved: hops.reduce((sum, [one, other]) => sum + movedBetween(one, other).length, 0),
      fewest: hops.reduce((sum, [one, other]) => sum + fewestMoves(one, [...new Set(other.values())]), 0),
      movedGap: worstGap(starts, moved, from, to),
      generations,
      twice: handledAgain(this.group, from, to),
      atOnce: atOnce(this.group, from, to, excused),
      leaveMs: leaver === undefined ? null : changed - lastEnd(this.group.ledger.handlings, leaver),
    })
  }

  /** The member's process stands still until the group has given it up, and then goes on. */
  async freeze(name: string, member: Member): Promise<void> {
    await this.step(name, async () => {
      const from = now()
      member.pause()
      await this.settle()
      await sleep(quietMs)
      this.freezes.push({ member: member.name, from, to: now() })
      member.resume()
    })
  }

  /** Makes the handler of one partition slow; returns while it is at work. */
  async slowOnePartition(times: { ms: number; everyMs: number }): Promise<{ owner: string; end(): Promise<void> }> {
    const { topic } = this
    // Whoever gives partitions up begins with the highest ones: this one stays, where it can.
    const partition = 0
    const owner = this.owners.get(partitionKey({ topic, partition }))!
    const alive = [...this.group.members.values()].filter(({ host }) => host.state === 'running')
    const tell = (slow: SlowPartition | null) => Promise.all(alive.map(member => member.slowPartition(slow)))
    await this.rest()
    await tell({ topic, partition, ...times })
    await sleep(quietMs)
    await until('that the slow handler is at work', () =>
      this.group.ledger.handlings
        .slice(-200)
        .some(each => each.partition === partition && each.end === undefined && now() - each.start > 100),
    )
    return {
      owner,
      end: async () => {
        await tell(null)
        // The last slow one ends, and the quiet time after it is to be free of it.
        await sleep(times.ms + quietMs)
      },
    }
  }

  private async settle(): Promise<Owners> {
    this.owners = (await this.group.settled({ everyMs: 200 })).owners
    return this.owners
  }

  /** Waits for a backlog, and then until it is over for as long as the quiet time is looked at. */
  private async rest(): Promise<void> {
    const caughtUp = () => this.group.ledger.missing().length < partitions * 5
    if (caughtUp()) return
    await until('that the backlog is gone', caughtUp, { everyMs: 200 })
    await sleep(quietMs)
  }

  private async end(): Promise<LifeResult> {
    const { ledger } = this.group
    await this.group.producer.stop()
    await until('that all is handled', () => ledger.missing().length === 0, { timeoutMs: 15_000 }).catch(() => {})
    const first = this.steps[0]!.from - quietMs
    return {
      candidate: this.candidate.id,
      steps: this.steps.map(step => ({ ...step, from: step.from - first, to: step.to - first })),
      never: ledger.missing().length,
      stretches: stretchesOf(ledger.handlings, first),
    }
  }
}

const lastEnd = (handlings: readonly Handling[], name: string) =>
  handlings.reduce((last, { member, end }) => (member === name && end !== undefined ? Math.max(last, end) : last), 0)

/** What is shorter than this is no pause to the eye. */
const visibleMs = 120

function stretchesOf(handlings: readonly Handling[], origin: number): Stretch[] {
  const last = new Map<string, Stretch>()
  const all: Stretch[] = []
  for (const { partition, member, start } of [...handlings].sort((a, b) => a.start - b.start)) {
    const at = Math.round(start - origin)
    if (at < 0) continue
    const stretch = last.get(`${partition} ${member}`)
    if (stretch && at - stretch.to <= visibleMs) stretch.to = at
    else {
      const begun = { partition, member, from: at, to: at }
      last.set(`${partition} ${member}`, begun)
      all.push(begun)
    }
  }
  return all
}
