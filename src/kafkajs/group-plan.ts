import { Steps } from '../planner/steps'
import type { Plan, PlanMember, PlanReport, PlanRequest, Strategy, TopicSpec } from '../planner/types'
import { encodeAssignment, type TopicPartitions } from '../protocol'
import { countPartitions } from '../report/topics'
import type { GroupInput } from './group-input'
import type { MemberAssignment } from './internals'
import type { TopicState } from './topic-metadata'
import { bytesPerTurn, pause } from './turns'

/** The planner's request for a group. Racks are left out where no member told its own: counts are enough then. */
export function planRequest(
  strategy: Strategy,
  input: GroupInput,
  topics: ReadonlyMap<string, TopicState>,
): PlanRequest {
  const specs = Object.create(null) as Record<string, TopicSpec>
  for (const topic of input.topics) {
    const state = topics.get(topic)
    if (state) specs[topic] = input.racksMatter ? state.racks : state.racks.length
  }
  return { strategy, topics: specs, members: input.members }
}

/** One entry for each member, a possibly empty one included: Java members throw at zero bytes. */
export async function encodePlan(plan: Plan): Promise<MemberAssignment[]> {
  const steps = new Steps(bytesPerTurn)
  const entries: MemberAssignment[] = []
  for (const memberId of plan.memberIds) {
    const assignment = entry(memberId, plan.assignment(memberId))
    entries.push(assignment)
    if (steps.spent(assignment.memberAssignment.length)) await pause()
  }
  return entries
}

/**
 * What is sent if planning itself failed: each topic dealt in turn to its subscribers, no claims, no racks. Complete
 * for every topic with known partitions.
 */
export function planRoundRobin(
  members: readonly Pick<PlanMember, 'memberId' | 'topics'>[],
  topics: ReadonlyMap<string, TopicState>,
): Map<string, TopicPartitions[]> {
  const byMember = new Map<string, TopicPartitions[]>(members.map(({ memberId }) => [memberId, []]))
  const ids = [...byMember.keys()].sort()
  const subscribed = new Map(members.map(({ memberId, topics: own }) => [memberId, new Set(own)]))
  let turn = 0
  for (const topic of [...topics.keys()].sort()) {
    const subscribers = ids.filter(id => subscribed.get(id)!.has(topic))
    if (subscribers.length === 0) continue
    const shares = subscribers.map((): number[] => [])
    for (let partition = 0; partition < topics.get(topic)!.racks.length; partition++)
      shares[turn++ % subscribers.length]!.push(partition)
    subscribers.forEach((id, i) => {
      if (shares[i]!.length > 0) byMember.get(id)!.push({ topic, partitions: shares[i]! })
    })
  }
  return byMember
}

/** What can be said of such a plan: nobody's claims were looked at. */
export function fallbackReport(strategy: Strategy, byMember: ReadonlyMap<string, TopicPartitions[]>): PlanReport {
  const sizes = [...byMember.values()].map(countPartitions)
  const partitions = sizes.reduce((sum, size) => sum + size, 0)
  const min = sizes.reduce((least, size) => Math.min(least, size), sizes[0] ?? 0)
  const max = sizes.reduce((most, size) => Math.max(most, size), 0)
  return {
    strategy,
    members: byMember.size,
    partitions,
    kept: 0,
    moved: partitions,
    transferred: 0,
    unclaimed: partitions,
    withheld: 0,
    minimumMoves: 0,
    balance: { min, max },
    balanceBefore: { min: 0, max: 0 },
    spread: { sumOfSquares: 0, proven: false },
    rackMismatches: 0,
    rejectedClaims: [],
    missingTopics: [],
    changes: [],
  }
}

export function encodeFallback(byMember: ReadonlyMap<string, TopicPartitions[]>): MemberAssignment[] {
  return [...byMember].map(([memberId, partitions]) => entry(memberId, partitions))
}

function entry(memberId: string, partitions: readonly TopicPartitions[]): MemberAssignment {
  return { memberId, memberAssignment: toBuffer(encodeAssignment({ partitions })) }
}

/** kafkajs' encoder takes Buffers only. */
export function toBuffer(bytes: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
