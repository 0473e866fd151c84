import type { Plan, PlanMember, PlanRequest, Strategy, TopicPartitions, TopicSpec } from '../types'

/** A member in test notation: `owned` as `{ t: [0, 1] }`, `topics` defaulting to all topics of the request. */
export interface Line extends Partial<PlanMember> {
  readonly owned?: Record<string, readonly number[]>
}

/** A request from members by id. */
export function group(
  topics: Record<string, TopicSpec>,
  members: Record<string, Line>,
  strategy: Strategy = 'sticky',
): PlanRequest {
  return {
    strategy,
    topics,
    members: Object.entries(members).map(([memberId, line]) => ({
      memberId,
      topics: Object.keys(topics),
      generation: 1,
      ...line,
    })),
  }
}

/** `t-0,1 u-2`; an empty string for nothing. */
export const text = (lists: readonly TopicPartitions[]): string =>
  lists.map(({ topic, partitions }) => `${topic}-${partitions.join()}`).join(' ')

/** What every member gets, in text. */
export function assignments(plan: Plan): Record<string, string> {
  return Object.fromEntries(plan.memberIds.map(id => [id, text(plan.assignment(id))]))
}

export const loads = (plan: Plan): number[] => plan.report.changes.map(change => change.assigned)

/** The group's next request if every member does as planned: it claims what it was given, in the next generation. */
export function nextRequest(request: PlanRequest, plan: Plan): PlanRequest {
  const generation = 1 + Math.max(0, ...request.members.map(member => member.generation ?? 0))
  const ids = new Set<string>()
  const members = request.members.filter(({ memberId }) => !ids.has(memberId) && ids.add(memberId))
  return {
    ...request,
    members: members.map(member => ({
      ...member,
      topics: [...new Set(request.members.flatMap(m => (m.memberId === member.memberId ? m.topics : [])))],
      owned: plan.assignment(member.memberId),
      released: undefined,
      generation,
    })),
  }
}
