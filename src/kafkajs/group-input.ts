import { Steps } from '../planner/steps'
import type { PlanMember, Strategy } from '../planner/types'
import { claimsOf, decodeSubscription, describeProblem, NameTable } from '../protocol'
import type { UnreadableMember } from '../report/rebalance-report'
import type { GroupMember } from './internals'
import { bytesPerTurn, pause } from './turns'

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
export async function readGroupInput(members: readonly GroupMember[], strategy: Strategy): Promise<GroupInput> {
  const names = new NameTable()
  const steps = new Steps(bytesPerTurn)
  const unreadable: UnreadableMember[] = []
  const topics = new Set<string>()
  let lastTopics: readonly string[] | undefined
  let racksMatter = false
  const planMembers: PlanMember[] = []
  for (const { memberId, memberMetadata, groupInstanceId } of members) {
    const subscription = decodeSubscription(memberMetadata, names)
    const claims = claimsOf(subscription, strategy, names)
    if (claims.problem)
      unreadable.push({
        memberId,
        reason: describeProblem(claims.problem),
        topicsKnown: subscription.topics.length > 0,
      })
    // Members that subscribe the same share one array.
    if (subscription.topics !== lastTopics) for (const topic of subscription.topics) topics.add(topic)
    lastTopics = subscription.topics
    if (subscription.rackId) racksMatter = true
    planMembers.push({
      memberId,
      topics: subscription.topics,
      owned: claims.owned,
      released: claims.released,
      generation: claims.generation,
      instanceId: groupInstanceId ?? null,
      rackId: subscription.rackId,
    })
    if (steps.spent(memberMetadata?.length ?? 0)) await pause()
  }
  return { members: planMembers, unreadable, topics, racksMatter }
}
