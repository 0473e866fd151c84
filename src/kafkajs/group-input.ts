import type { PlanMember, Strategy } from '../planner/types'
import { claimsOf, decodeSubscription, describeProblem, NameTable } from '../protocol'
import type { UnreadableMember } from '../report/rebalance-report'
import type { GroupMember } from './internals'

/** The group as its members describe themselves. */
export interface GroupInput {
  readonly members: readonly PlanMember[]
  readonly unreadable: readonly UnreadableMember[]
  /** Every topic that some member subscribes. */
  readonly topics: ReadonlySet<string>
  /** True if some member told its rack. */
  readonly racksMatter: boolean
}

/** Reads what each member sent in JoinGroup. Damaged bytes cost a member its claims or its topics, and nobody else. */
export function readGroupInput(members: readonly GroupMember[], strategy: Strategy): GroupInput {
  const names = new NameTable()
  const unreadable: UnreadableMember[] = []
  const topics = new Set<string>()
  let racksMatter = false
  const planMembers = members.map(({ memberId, memberMetadata, groupInstanceId }): PlanMember => {
    const subscription = decodeSubscription(memberMetadata, names)
    const claims = claimsOf(subscription, strategy, names)
    if (claims.problem)
      unreadable.push({
        memberId,
        reason: describeProblem(claims.problem),
        topicsKnown: subscription.topics.length > 0,
      })
    for (const topic of subscription.topics) topics.add(topic)
    if (subscription.rackId) racksMatter = true
    return {
      memberId,
      topics: subscription.topics,
      owned: claims.owned,
      released: claims.released,
      generation: claims.generation,
      instanceId: groupInstanceId ?? null,
      rackId: subscription.rackId,
    }
  })
  return { members: planMembers, unreadable, topics, racksMatter }
}
