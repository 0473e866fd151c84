import { StickyAssignorError } from '../errors'
import { planBest } from './best'
import { findFlaws as checkProof } from './certificate'
import { readClaims } from './claims'
import { LazyPlan } from './lazy-plan'
import { gainedIn } from './lists'
import { minimumMovesFor } from './minimum-moves'
import { giveAll, withholdHeld } from './outcome'
import { countMismatches, readRacks } from './racks'
import { readGroup } from './read-group'
import { planByReference, type ReferenceStrategy, referenceStrategies } from './reference-strategies'
import { reportOn } from './report'
import { sumOfSquares } from './spread'
import { atOnce, runInSlices, Steps, type Work } from './steps'
import type { Plan, PlanRequest, Strategy } from './types'

/** A slice of this many steps takes a millisecond or two, cold some ten times as long. */
const defaultStepsPerSlice = 125_000

/**
 * Plans a group: who gets which partition. Bad claims never throw, they are counted in the report.
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_REQUEST if the strategy is unknown.
 */
export function plan(request: PlanRequest): Plan {
  return atOnce(steps => planning(request, steps))
}

/** The same plan, computed slice by slice: `pause` is awaited after every `stepsPerSlice` steps. */
export function planInSlices(
  request: PlanRequest,
  pause: () => Promise<void>,
  stepsPerSlice: number = defaultStepsPerSlice,
): Promise<Plan> {
  return runInSlices(planning(request, new Steps(stepsPerSlice)), pause)
}

/**
 * Checks that a plan of `sticky` or `cooperative-sticky` is the best there is (docs/algorithm.md). Returns what speaks
 * against it, which should be nothing. Takes about as long as planning.
 */
export function findFlaws(plan: Plan): string[] {
  if (plan instanceof LazyPlan && plan.proof) return plan.proof()
  return ['not a plan of sticky or cooperative-sticky']
}

function* planning(request: PlanRequest, steps: Steps): Work<Plan> {
  const { strategy } = request
  const isSticky = strategy === 'sticky' || strategy === 'cooperative-sticky'
  const reference = isSticky ? undefined : referenceStrategy(strategy)
  const { group, entries } = yield* readGroup(request, steps)
  const ownership = yield* readClaims(request, group, entries, steps)
  const racks = yield* readRacks(request, group, entries, steps)
  if (reference) {
    const lists = yield* planByReference(reference, request, group, steps)
    const outcome = giveAll(lists, gainedIn(ownership.believed, lists))
    if (steps.spent(4 * lists.ids.length)) yield
    const spread = { sumOfSquares: sumOfSquares(group, lists), proven: false }
    if (steps.spent(4 * lists.ids.length)) yield
    const report = reportOn(strategy, group, ownership, outcome, {
      minimumMoves: yield* minimumMovesFor(group, ownership, racks, lists, steps),
      rackMismatches: racks ? yield* countMismatches(racks, lists, steps) : 0,
      spread,
    })
    return new LazyPlan(report, group, ownership, outcome, racks)
  }
  const proven = yield* planBest(group, ownership, racks, steps)
  const { lists, gained, spread } = proven
  const outcome = strategy === 'sticky' ? giveAll(lists, gained) : withholdHeld(lists, gained, ownership)
  if (steps.spent(4 * gained.ids.length)) yield
  const report = reportOn(strategy, group, ownership, outcome, {
    minimumMoves: gained.ids.length,
    rackMismatches: racks ? yield* countMismatches(racks, lists, steps) : 0,
    spread: { sumOfSquares: spread, proven: true },
  })
  return new LazyPlan(report, group, ownership, outcome, racks, () =>
    checkProof(group, ownership.believed, racks, proven),
  )
}

function referenceStrategy(strategy: Strategy): ReferenceStrategy {
  const found = Object.hasOwn(referenceStrategies, strategy) ? referenceStrategies[strategy] : undefined
  if (found) return found
  const known = ['sticky', 'cooperative-sticky', ...Object.keys(referenceStrategies)].join(', ')
  const message = `strategy must be one of ${known}; got ${JSON.stringify(strategy)}`
  throw new StickyAssignorError('STICKY_ERR_INVALID_REQUEST', 'strategy', message)
}
