/** Our sticky on the golden groups, beside what Kafka's StickyAssignor gave: it never loses. */
import { expect, test } from '@jest/globals'
import { plan } from '../../src/planner'
import { expectValid } from './expect-best-plan'
import { goldenRows, parsePartition } from './golden'
import { compareScores, type Score, type Solution, scoreOf } from './oracle'
import { type OracleGroup, readOracleGroup } from './oracle-group'

const rows = goldenRows()

function solutionOf(group: OracleGroup, answer: Readonly<Record<string, readonly string[]>>): Solution {
  const owners = new Map<string, string>()
  for (const [memberId, partitions] of Object.entries(answer)) {
    for (const { topic, partition } of partitions.map(parsePartition))
      owners.set(JSON.stringify([topic, partition]), memberId)
  }
  return group.partitions.map(({ topic, id }) => {
    const memberId = owners.get(JSON.stringify([topic, id]))
    return group.members.find(member => member.memberId === memberId)!
  })
}

/** Without the spread, which Kafka does not weigh. */
const figures = ({ loads, rackMismatches, moves }: Score): Score => ({ loads, rackMismatches, moves, spread: 0 })

test.each(rows.map(row => [row.kind, row.n, row] as const))('%s, group %i', (_kind, _n, row) => {
  const request = { strategy: 'sticky' as const, topics: row.topics, members: row.members }
  const group = readOracleGroup(request)
  const ours = scoreOf(group, expectValid(group, plan(request)))
  const kafkas = scoreOf(group, solutionOf(group, row.answers.sticky))
  expect(compareScores(figures(ours), figures(kafkas))).toBeLessThanOrEqual(0)
})

test('in some of them it is better', () => {
  const better = rows.filter(row => {
    const request = { strategy: 'sticky' as const, topics: row.topics, members: row.members }
    const group = readOracleGroup(request)
    const ours = scoreOf(group, expectValid(group, plan(request)))
    return compareScores(figures(ours), figures(scoreOf(group, solutionOf(group, row.answers.sticky)))) < 0
  })
  expect(better.length).toBeGreaterThan(20)
})
