/** Who is measured: consumers of kafkajs with an assigner, and Kafka's own Java consumer with one of its assignors. */
import { join } from 'node:path'
import type { Group } from '../../integration/support/group'
import { javaMember, javaMissing } from '../../integration/support/java-member'
import type { HostOptions, Member, MemberConfig } from '../../integration/support/member'
import { root } from '../../integration/support/root'

export interface Candidate {
  id: string
  title: string
  client: 'kafkajs' | 'java'
  assigner: { name: string; options?: Record<string, unknown> }
}

const kafkajs = (id: string, title: string, name: string, options: Record<string, unknown> = {}): Candidate => ({
  id,
  title,
  client: 'kafkajs',
  assigner: { name, options },
})
const java = (name: string, title = name): Candidate => ({
  id: `java-${name}`,
  title: `Java, ${title}`,
  client: 'java',
  assigner: { name },
})

const all = {
  stock: kafkajs('stock', "kafkajs' RoundRobinAssigner", 'kafkajs-roundrobin'),
  range: kafkajs('range', '`rangeAssignor`', 'range'),
  roundRobin: kafkajs('roundrobin', '`roundRobinAssignor`', 'roundrobin'),
  sticky: kafkajs('sticky', '`stickyAssignor`', 'sticky'),
  inPlace: kafkajs('in-place', '`cooperativeStickyAssignor`, in place', 'cooperative-sticky', { tier: 'in-place' }),
  surfaced: kafkajs('surfaced', '`cooperativeStickyAssignor`, surfaced', 'cooperative-sticky', { tier: 'surfaced' }),
  javaRange: java('range'),
  javaRoundRobin: java('roundrobin'),
  javaSticky: java('sticky', 'sticky (eager)'),
  javaCooperative: java('cooperative-sticky'),
}

/** Those that `bench/pause` compares. */
export const pauseCandidates = [all.stock, all.sticky, all.inPlace, all.surfaced, all.javaSticky, all.javaCooperative]

/** Those that `bench/groups` compares: every strategy of both clients. */
export const groupCandidates = [
  all.stock,
  all.range,
  all.roundRobin,
  all.sticky,
  all.inPlace,
  all.javaRange,
  all.javaRoundRobin,
  all.javaSticky,
  all.javaCooperative,
]

/** The named ones, or all; without Java's where Java is missing, which is said. */
export function choose(candidates: Candidate[], names: string | undefined): Candidate[] {
  const wanted = names?.split(',') ?? candidates.map(({ id }) => id)
  const unknown = wanted.filter(name => !candidates.some(({ id }) => id === name))
  if (unknown.length > 0) throw new Error(`no candidate ${unknown}; there are ${candidates.map(({ id }) => id)}`)
  const chosen = candidates.filter(({ id }) => wanted.includes(id))
  if (!javaMissing) return chosen
  console.error(`Java's consumers are not measured: ${javaMissing}`)
  return chosen.filter(({ client }) => client !== 'java')
}

/** Times of a group, in ms. Both clients get the same, except where they have no such setting. */
export interface Times {
  session: number
  heartbeat: number
  /** kafkajs' maxWaitTimeInMs. Java's fetch.max.wait.ms is left at its default of 500. */
  maxWait: number
}

export interface Hosting {
  /** Consumers of one process; each name starts one. */
  names: string[]
  /** From so many members on the leader plans for so long. */
  slowLeader?: { members: number; ms: number }
}

/** Starts consumers of a candidate, all in one process. */
export async function addMembers(
  group: Group,
  { client, assigner }: Candidate,
  times: Times,
  { names, slowLeader }: Hosting,
): Promise<Member[]> {
  const options = slowLeader ? { ...assigner.options, interfere: { slowLeader } } : (assigner.options ?? {})
  const interfering: HostOptions = slowLeader ? { package: join(root, 'integration/support/interference.cjs') } : {}
  const host = client === 'java' ? await javaMember() : interfering
  return group.addTogether(names, { assigners: [{ ...assigner, options }], ...settings(times) }, host)
}

function settings({ session, heartbeat, maxWait }: Times): Partial<MemberConfig> {
  return {
    // kafkajs' own; what the tests have is shorter than its longest fetch.
    kafka: { requestTimeout: 30_000 },
    consumer: {
      sessionTimeout: session,
      heartbeatInterval: heartbeat,
      maxWaitTimeInMs: maxWait,
      rebalanceTimeout: 60_000,
    },
    properties: {
      'session.timeout.ms': String(session),
      'heartbeat.interval.ms': String(heartbeat),
      'fetch.max.wait.ms': '500',
      'max.poll.interval.ms': '60000',
    },
  }
}
