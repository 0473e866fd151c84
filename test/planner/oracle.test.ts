/**
 * The planner against an independent oracle. `npm run test:oracle` runs this file with 100,000 groups.
 */
import { describe, expect, test } from '@jest/globals'
import { expectBestPlan } from './expect-best-plan'
import { families, nameOf, requestsOf } from './families'
import { cheapestFlow, compareScores, exhaustive, planCount, scoreOf } from './oracle'
import { readOracleGroup } from './oracle-group'
import { forAllRequests } from './run-property'

const groups = Number(process.env.ORACLE_GROUPS ?? 5000)
const perFamily = Math.ceil(groups / families.length)

describe.each(families.map(family => [nameOf(family), family] as const))('%s', (_, family) => {
  test('balance, rack mismatches, moves and spread are the best there are', () => {
    forAllRequests(requestsOf(family), perFamily, expectBestPlan)
  })
})

test('the two oracles agree', () => {
  for (const family of families.filter(({ size }) => size === 'small')) {
    let compared = 0
    forAllRequests(requestsOf(family), 60, request => {
      const group = readOracleGroup(request)
      if (planCount(group) > 5000) return
      compared++
      const best = exhaustive(group)
      expect(compareScores(scoreOf(group, cheapestFlow(group)), best)).toBe(0)
    })
    expect(compared).toBeGreaterThan(20)
  }
})
