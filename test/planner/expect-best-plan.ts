import { expect } from '@jest/globals'
import { findFlaws, plan } from '../../src/planner'
import type { Plan, PlanRequest } from '../../src/planner/types'
import { cheapestFlow, type Solution, scoreOf } from './oracle'
import { type OracleGroup, readOracleGroup } from './oracle-group'

/** The plan is valid and complete, as good as the oracle's in all four figures, says so, and its own proof of it holds. */
export function expectBestPlan(request: PlanRequest): void {
  const group = readOracleGroup(request)
  const answer = plan(request)
  const solution = expectValid(group, answer)
  const score = scoreOf(group, solution)
  const best = scoreOf(group, cheapestFlow(group))
  expect(score).toEqual(best)
  expect(findFlaws(answer)).toEqual([])

  const { report } = answer
  const transferred = group.partitions.filter((p, i) => p.owner !== null && p.owner !== solution[i]).length
  expect(report).toMatchObject({
    strategy: 'sticky',
    members: request.members.length,
    partitions: group.partitions.length,
    kept: group.partitions.length - best.moves,
    moved: best.moves,
    transferred,
    unclaimed: best.moves - transferred,
    withheld: 0,
    minimumMoves: best.moves,
    balance: { min: best.loads[0] ?? 0, max: best.loads.at(-1) ?? 0 },
    spread: { sumOfSquares: best.spread, proven: true },
    rackMismatches: best.rackMismatches,
  })
  const outdated = report.rejectedClaims.filter(({ reason }) => reason.endsWith('-generation'))
  expect(outdated.reduce((sum, { count }) => sum + count, 0)).toBe(group.outdatedClaims)
}

/** Every partition has exactly one member, which subscribes its topic; nothing else is assigned; every member is there. */
export function expectValid(group: OracleGroup, answer: Plan): Solution {
  expect([...answer.memberIds]).toEqual(group.members.map(({ memberId }) => memberId).sort())
  const members = new Map(group.members.map(member => [member.memberId, member]))
  const owners = new Map<string, string>()
  for (const memberId of answer.memberIds) {
    const lists = [...answer.assignment(memberId), ...answer.withheld(memberId)]
    for (const { topic, partitions } of lists) {
      for (const id of partitions) {
        const key = JSON.stringify([topic, id])
        if (owners.has(key)) throw new Error(`${topic}-${id} is assigned to ${owners.get(key)} and to ${memberId}`)
        owners.set(key, memberId)
      }
    }
  }
  const solution = group.partitions.map(({ topic, id }) => {
    const key = JSON.stringify([topic, id])
    const member = members.get(owners.get(key) ?? '')
    if (!member) throw new Error(`${topic}-${id} is assigned to nobody`)
    if (!member.topics.has(topic)) throw new Error(`${topic}-${id} is assigned to ${member.memberId}, no subscriber`)
    owners.delete(key)
    return member
  })
  if (owners.size > 0) throw new Error(`assigned beyond the subscribed partitions: ${[...owners.keys()]}`)
  return solution
}
