import { StickyAssignorError } from '../errors'
import { cellStarts } from './cells'
import { type Ownership, readClaims } from './claims'
import { deal } from './deal'
import type { Group } from './group'
import { LazyPlan } from './lazy-plan'
import type { PartitionLists } from './lists'
import { giveAll, type Outcome, withholdHeld } from './outcome'
import { readGroup } from './read-group'
import { planByReference, type ReferenceStrategy, referenceStrategies } from './reference-strategies'
import { reportOn } from './report'
import { runAtOnce, runInSlices, Steps, type Work } from './steps'
import { solve } from './sticky'
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
  const { group, entries } = yield* readGroup(request, steps)
  const ownership = yield* readClaims(request, group, entries, steps)
  let outcome: Outcome
  if (strategy === 'sticky' || strategy === 'cooperative-sticky') {
    const lists = yield* planSticky(group, ownership, steps)
    outcome = strategy === 'sticky' ? giveAll(lists) : withholdHeld(lists, ownership)
  } else {
    outcome = giveAll(planByReference(referenceStrategy(strategy), request, group))
  }
  const report = reportOn(strategy, group, ownership, outcome)
  return new LazyPlan(report, group, ownership, outcome)
}

function* planSticky(group: Group, ownership: Ownership, steps: Steps): Work<PartitionLists> {
  const start = cellStarts(group)
  const solution = yield* solve(group, start, ownership.believed, steps)
  return yield* deal(group, start, solution.counts, ownership.believed, steps)
}

function referenceStrategy(strategy: Strategy): ReferenceStrategy {
  const found = Object.hasOwn(referenceStrategies, strategy) ? referenceStrategies[strategy] : undefined
  if (found) return found
  const known = ['sticky', 'cooperative-sticky', ...Object.keys(referenceStrategies)].join(', ')
  const message = `strategy must be one of ${known}; got ${JSON.stringify(strategy)}`
  throw new StickyAssignorError('STICKY_ERR_INVALID_REQUEST', 'strategy', message)
}
