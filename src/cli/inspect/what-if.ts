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
  const isNew = new Set(newIds)
  const members = changed.members.map((member): MemberMove => {
    const before = readMember(member, changed.strategy).claims
    const after = planned(answer, member.memberId)
    return {
      memberId: member.memberId,
      isNew: isNew.has(member.memberId),
      before: byTopic(before),
      after: byTopic(after),
      gains: byTopic(subtract(after, before)),
      givesUp: byTopic(subtract(before, after)),
    }
  })
  return { changes: words, answer, members, newIdsMatter: newIds.length > 0 && idsMatter(request, changes, members) }
}

/** What a member is given now and, in a cooperative group, in the round after. */
function planned({ assignment, withheld }: PlanAnswer, memberId: string): readonly TopicPartitions[] {
  const parts = [assignment[memberId], withheld[memberId]].flatMap(part => Object.entries(part ?? {}))
  return canonicalPartitions(parts.map(([topic, partitions]) => ({ topic, partitions })))
}

/** Places among the ids of the group that are tried for the new ones. */
const triedPlaces = 32

/** Whether the others get something else if the new ids come elsewhere among theirs; all of them at the same place. */
function idsMatter(request: RequestJson, changes: Changes, members: readonly MemberMove[]): boolean {
  const old = members.filter(({ isNew }) => !isNew)
  const expected = JSON.stringify(old.map(({ after }) => after))
  const ids = old.map(({ memberId }) => memberId)
  const step = Math.ceil(ids.length / triedPlaces) || 1
  return ['', ...ids.filter((_, i) => i % step === 0)].some(id => {
    const { request: other } = applyChanges(request, changes, n => `${id}\0${n}`)
    const answer = planRequest(other)
    return JSON.stringify(ids.map(memberId => byTopic(planned(answer, memberId)))) !== expected
  })
}
