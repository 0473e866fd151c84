import { StickyAssignorError } from '../errors'
import { readClaims } from './claims'
import { LazyPlan } from './lazy-plan'
import { giveAll, withholdHeld } from './outcome'
import { countMismatches, readRacks } from './racks'
import { readGroup } from './read-group'
import { planByReference, type ReferenceStrategy, referenceStrategies } from './reference-strategies'
import { reportOn } from './report'
import { runAtOnce, runInSlices, Steps, type Work } from './steps'
import { planSticky } from './sticky'
import type { Plan, PlanRequest, Strategy } from './types'

/** A slice of this many steps takes a few milliseconds. */
const defaultStepsPerSlice = 250_000

/**
 * Plans a group: who gets which partition. Bad claims never throw, they are counted in the report.
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_REQUEST if the strategy is unknown.
 */
export function plan(request: PlanRequest): Plan {
  return runAtOnce(planning(request, new Steps(Number.POSITIVE_INFINITY)))
}

/** The same plan, computed slice by slice: `pause` is awaited after every `stepsPerSlice` steps. */
export function planInSlices(
  request: PlanRequest,
  pause: () => Promise<void>,
  stepsPerSlice: number = defaultStepsPerSlice,
): Promise<Plan> {
  return runInSlices(planning(request, new Steps(stepsPerSlice)), pause)
}

function* planning(request: PlanRequest, steps: Steps): Work<Plan> {
  const { strategy } = request
  const reference = strategy === 'sticky' || strategy === 'cooperative-sticky' ? undefined : referenceStrategy(strategy)
  const { group, entries } = yield* readGroup(request, steps)
  const ownership = yield* readClaims(request, group, entries, steps)
  const racks = readRacks(request, group, entries)
  const proven = reference ? undefined : yield* planSticky(group, ownership.believed, racks, steps)
  const lists = proven ? proven.lists : planByReference(reference!, request, group)
  const outcome = strategy === 'cooperative-sticky' ? withholdHeld(lists, ownership) : giveAll(lists)
  const report = reportOn(strategy, group, ownership, outcome, {
    rackMismatches: racks ? countMismatches(racks, lists) : 0,
    spreadProven: proven !== undefined,
  })
  return new LazyPlan(report, group, ownership, outcome)
}

function referenceStrategy(strategy: Strategy): ReferenceStrategy {
  const found = Object.hasOwn(referenceStrategies, strategy) ? referenceStrategies[strategy] : undefined
  if (found) return found
  const known = ['sticky', 'cooperative-sticky', ...Object.keys(referenceStrategies)].join(', ')
  const message = `strategy must be one of ${known}; got ${JSON.stringify(strategy)}`
  throw new StickyAssignorError('STICKY_ERR_INVALID_REQUEST', 'strategy', message)
}
