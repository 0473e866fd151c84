import fc from 'fast-check'
import type { PlanRequest } from '../../src/planner/types'

/**
 * Runs a property over random plan requests. A failure shrinks, and is shown as a request that `plan` reads.
 *
 * The seed is fixed so that everybody runs the same groups; ORACLE_SEED runs others.
 */
export function forAllRequests(
  requests: fc.Arbitrary<PlanRequest>,
  numRuns: number,
  property: (request: PlanRequest) => void,
): void {
  const seed = Number(process.env.ORACLE_SEED ?? 20_261_130)
  const details = fc.check(fc.property(requests, property), { seed, numRuns })
  if (!details.failed) return
  const cause = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance)
  const request = JSON.stringify(details.counterexample?.[0])
  throw new Error(`after ${details.numRuns} groups (seed ${seed}): ${cause}\nplan request: ${request}`)
}
