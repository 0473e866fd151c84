import type { LiveGroup, LiveMember } from '../../cluster'
import { type PartitionsByTopic, strategies } from '../../dry-run'
import { describeProblem } from '../../protocol'
import { type Lag, lagOf, totalLag } from './lag'
import { byTopic } from './request'
import { judge, type Verdict } from './verdict'
import type { WhatIf } from './what-if'

/** Everything that `inspect` found out, as `--format json` prints it. The text is made of the same value. */
export interface Report {
  /** Null where a request was replayed. */
  readonly group: GroupReport | null
  readonly whatIf: WhatIf | null
}

export interface GroupReport {
  readonly groupId: string
  readonly state: string
  /** Name of the strategy that the members agreed on; empty while there is none. */
  readonly protocol: string
  /** Partition counts; 0 for a topic that does not exist. */
  readonly topics: Readonly<Record<string, number>>
  readonly members: readonly MemberReport[]
  /** Null while the group rebalances, and for one without members. */
  readonly verdict: Verdict | null
  /** Of all topics. */
  readonly lag: Lag | null
  /** What could not be read, or is not as one would expect. */
  readonly notes: readonly string[]
}

export interface MemberReport {
  readonly memberId: string
  readonly clientId: string
  readonly host: string
  readonly subscription: {
    /** Null where the member sent nothing that has one. */
    readonly version: number | null
    readonly topics: readonly string[]
    readonly rackId: string | null
  }
  /** Why its metadata, or the claims in them, cannot be read. */
  readonly unreadable: string | null
  /** What it said it had when it last joined; `held` if it went on working on that meanwhile. */
  readonly claimed: {
    readonly partitions: PartitionsByTopic
    readonly generation: number | null
    readonly held: boolean
  }
  readonly assigned: PartitionsByTopic
  readonly lag: Lag | null
}

export function reportOn(group: LiveGroup): GroupReport {
  const { groupId, state, protocol, topics } = group
  // Only then do brokers tell what members sent and got.
  const atRest = state === 'Stable'
  const verdict = atRest ? judge(group) : null
  const notes = [...group.notes, ...notesOn(group, atRest)]
  if (protocol === 'cooperative-sticky' && Object.keys(verdict?.unassigned ?? {}).length > 0) {
    notes.push('between the two rounds of a cooperative rebalance what moves is assigned to nobody: look again')
  }
  return {
    groupId,
    state,
    protocol,
    topics: Object.fromEntries(topics.map(({ topic, partitions }) => [topic, partitions])),
    members: group.members.map(member => memberReport(member, group, atRest)),
    verdict,
    lag: totalLag(topics),
    notes,
  }
}

function memberReport(member: LiveMember, { topics }: LiveGroup, atRest: boolean): MemberReport {
  const { memberId, clientId, host, subscription, claims, assignment } = member
  const { version, rackId } = subscription
  const held = claims.owned.length > 0
  return {
    memberId,
    clientId,
    host,
    subscription: { version, topics: [...new Set(subscription.topics)].sort(), rackId: rackId || null },
    unreadable: atRest && claims.problem ? describeProblem(claims.problem) : null,
    claimed: {
      partitions: byTopic(held ? claims.owned : claims.released),
      generation: claims.generation,
      held,
    },
    assigned: byTopic(assignment.partitions),
    lag: lagOf(assignment.partitions, topics),
  }
}

function notesOn({ state, protocol, members, topics }: LiveGroup, atRest: boolean): string[] {
  if (!atRest && members.length > 0) {
    return [`the group is rebalancing (${state}); brokers tell subscriptions and assignments only when it has settled`]
  }
  const notes: string[] = []
  for (const { memberId, assignment } of members) {
    const { problem } = assignment
    // No bytes at all are what kafkajs' own leaders send to a member without partitions.
    if (problem && problem.reason !== 'empty')
      notes.push(`the assignment of ${memberId} cannot be read: ${describeProblem(problem)}`)
  }
  for (const { topic, partitions, problem } of topics) {
    if (problem !== null) notes.push(`topic ${topic}: ${problem}; its partition count is taken from the assignments`)
    else if (partitions === 0) notes.push(`topic ${topic} does not exist`)
  }
  if (members.length > 0 && !(strategies as readonly string[]).includes(protocol)) {
    notes.push(`the members agreed on ${protocol}, which is not planned here: what if is answered with sticky instead`)
  }
  if (members.some(({ subscription }) => subscription.rackId)) {
    notes.push('members tell racks; what racks the replicas are in is not known here, so that plans disregard them')
  }
  return notes
}
