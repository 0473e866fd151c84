import { type PartitionsByTopic, type PlanAnswer, planRequest } from '../../dry-run'
import { canonicalPartitions, type TopicPartitions } from '../../protocol'
import { subtract } from '../../report/topics'
import { applyChanges, type Changes } from './changes'
import { byTopic, type RequestJson, readMember } from './request'

/** A plan beside what the group has before it. */
export interface WhatIf {
  /** The changes in words; none if the group is planned as it is. */
  readonly changes: readonly string[]
  readonly answer: PlanAnswer
  readonly members: readonly MemberMove[]
  /** True if the ids that new members will get, which nobody knows, decide which partitions the others keep. */
  readonly newIdsMatter: boolean
  /** True if they decide which of the moved partitions go to members that are there already. */
  readonly newIdsDecideGains: boolean
}

export interface MemberMove {
  readonly memberId: string
  readonly isNew: boolean
  /** What the member claims. */
  readonly before: PartitionsByTopic
  /** What it has when the rebalance is over: in a cooperative group after the second round. */
  readonly after: PartitionsByTopic
  readonly gains: PartitionsByTopic
  readonly givesUp: PartitionsByTopic
}

/**
 * Plans the request after the changes.
 *
 * @throws ImpossibleChange, or StickyAssignorError if the request is none.
 */
export function whatIf(request: RequestJson, changes: Changes): WhatIf {
  const { request: changed, newIds, words } = applyChanges(request, changes)
  const answer = planRequest(changed)
  const members = movesOf(changed, answer, new Set(newIds))
  const others = newIds.length === 0 ? [] : withOtherIds(request, changes, members)
  const old = members.filter(({ isNew }) => !isNew)
  const differs = (part: (moves: readonly MemberMove[]) => unknown) =>
    others.some(moves => JSON.stringify(part(moves)) !== JSON.stringify(part(old)))
  return {
    changes: words,
    answer,
    members,
    newIdsMatter: differs(moves => moves.map(({ givesUp }) => givesUp)),
    newIdsDecideGains: differs(moves => moves.map(({ gains }) => gains)),
  }
}

function movesOf({ members, strategy }: RequestJson, answer: PlanAnswer, newIds: ReadonlySet<string>): MemberMove[] {
  return members.map(member => {
    const before = readMember(member, strategy).claims
    const after = planned(answer, member.memberId)
    return {
      memberId: member.memberId,
      isNew: newIds.has(member.memberId),
      before: byTopic(before),
      after: byTopic(after),
      gains: byTopic(subtract(after, before)),
      givesUp: byTopic(subtract(before, after)),
    }
  })
}

/** What a member is given now and, in a cooperative group, in the round after. */
function planned({ assignment, withheld }: PlanAnswer, memberId: string): readonly TopicPartitions[] {
  const parts = [assignment[memberId], withheld[memberId]].flatMap(part => Object.entries(part ?? {}))
  return canonicalPartitions(parts.map(([topic, partitions]) => ({ topic, partitions })))
}

/** Places among the ids of the group that are tried for the new ones. */
const triedPlaces = 32

/** What becomes of the old members if the new ids come elsewhere among theirs; all of them at the same place. */
function withOtherIds(request: RequestJson, changes: Changes, members: readonly MemberMove[]): MemberMove[][] {
  const ids = members.filter(({ isNew }) => !isNew).map(({ memberId }) => memberId)
  const step = Math.ceil(ids.length / triedPlaces) || 1
  return ['', ...ids.filter((_, i) => i % step === 0)].map(id => {
    const { request: other, newIds } = applyChanges(request, changes, n => `${id}\0${n}`)
    return movesOf(other, planRequest(other), new Set(newIds)).filter(({ isNew }) => !isNew)
  })
}
