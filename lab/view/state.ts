/** The page's state. Everything that is drawn follows from these signals. */

import type { Strategy } from '../../src/planner/types'
import {
  type Action,
  apply,
  type Group,
  type Scenario,
  type Start,
  withoutNonsense,
  withoutStrayClaims,
} from '../../src/scenario/scenario'
import { type History, simulate, type Turn } from '../../src/scenario/simulate'
import { describe } from '../../src/scenario/words'
import { decode, encode, type Place, tooLarge } from '../model/address'
import { openingStep, type Preset, presetOf, presets } from '../model/presets'
import { prefersStillness } from './motion'
import { computed, signal } from './signals'

export const strategies: readonly Strategy[] = ['range', 'roundrobin', 'kafka-sticky', 'sticky', 'cooperative-sticky']

export interface Chosen {
  readonly topic: string
  readonly partition: number
}

const opened = (preset: Preset): Place => ({ scenario: preset, preset: preset.key, step: openingStep(preset) })
const first = opened(presets[0]!)

export const place = signal<Place>(first)
/** Something that the reader should know, until the next action. */
export const note = signal<string | undefined>(undefined)
/** Which round of a step the boards show; no rebalance has more than a few. */
export const LAST_ROUND = 9
export const round = signal(LAST_ROUND)
export const playing = signal(false)
export const chosen = signal<Chosen | undefined>(undefined)

/** Whether a change happens at the step that is shown, or to what the group starts with. */
export const changesStart = signal(false)
export type Open =
  | { readonly kind: 'topic' | 'consumer'; readonly name: string }
  | { readonly kind: 'new-topic' | 'new-consumer' }
/** What is being changed. */
export const open = signal<Open | undefined>(undefined)

export const history = computed<Scenario, History>(
  () => place.value.scenario,
  (scenario, last) => simulate(scenario, strategies, last),
)
export const lastStep = (): number => place.value.scenario.steps.length
export const group = (): Group => history.value.groups[place.value.step]!
export const turnOf = (strategy: Strategy): Turn => history.value.turns.get(strategy)![place.value.step]!
export const preset = (): Preset | undefined => (place.value.preset ? presetOf(place.value.preset) : undefined)
export const stepInWords = (): string => stepTitle(place.value.scenario, place.value.step)

export function stepTitle({ start, steps }: Scenario, step: number): string {
  if (step > 0) return describe(steps[step - 1]!)
  return start.owned ? 'a group with an assignment' : 'the group begins'
}

// Moving through the history.

const PAUSE_BETWEEN_ROUNDS = 1100
const PAUSE_BETWEEN_STEPS = 2400
let nextRound: ReturnType<typeof setTimeout> | undefined

/** Shows a step. Going forward, both rounds of a cooperative rebalance are seen, one after the other. */
export function go(step: number): void {
  const to = Math.max(0, Math.min(step, lastStep()))
  const forward = to === place.value.step + 1
  place.value = { ...place.value, step: to }
  window.history.replaceState(null, '', `#${encode(place.value)}`)
  clearTimeout(nextRound)
  round.value = LAST_ROUND
  const inRounds = (history.value.turns.get('cooperative-sticky')?.[to]?.rounds.length ?? 0) > 1
  if (!forward || !inRounds || prefersStillness()) return
  round.value = 0
  nextRound = setTimeout(() => {
    round.value = LAST_ROUND
  }, PAUSE_BETWEEN_ROUNDS)
}

export function showRound(index: number): void {
  clearTimeout(nextRound)
  round.value = index
}

let nextStep: ReturnType<typeof setTimeout> | undefined

export function play(): void {
  playing.value = true
  if (place.value.step === lastStep()) go(0)
  const tick = () => {
    if (place.value.step < lastStep()) go(place.value.step + 1)
    if (place.value.step < lastStep()) nextStep = setTimeout(tick, PAUSE_BETWEEN_STEPS)
    else playing.value = false
  }
  nextStep = setTimeout(tick, PAUSE_BETWEEN_STEPS / 3)
}

export function pause(): void {
  clearTimeout(nextStep)
  playing.value = false
}

// Changing the history. Each change is an entry of the browser's history, so that Back undoes it.

function change(next: Place): boolean {
  const problem = tooLarge(next.scenario)
  if (problem) {
    note.value = `Not done: ${problem}.`
    return false
  }
  pause()
  note.value = undefined
  place.value = next
  window.history.pushState(null, '', `#${encode(place.value)}`)
  return true
}

export function load(key: string): void {
  const found = presetOf(key)
  if (!found) return
  chosen.value = undefined
  round.value = LAST_ROUND
  change(opened(found))
}

/** Lets something happen after the step that is shown, in a rebalance of its own or in time for the shown one. */
export function act(actions: readonly Action[], sameRebalance = false): void {
  const { scenario, step } = place.value
  const joined = sameRebalance && step > 0
  const steps = scenario.steps.slice(0, joined ? step - 1 : step)
  const next = joined ? [...scenario.steps[step - 1]!, ...actions] : actions
  try {
    apply(history.value.groups[steps.length]!, next)
  } catch (error) {
    note.value = `Not done: it ${(error as Error).message}.`
    return
  }
  const dropped = scenario.steps.length - step
  const start = joined ? step - 1 : step
  const changed = change({ scenario: { start: scenario.start, steps: [...steps, next] }, step: start })
  if (!changed) return
  go(start + 1)
  if (dropped > 0) note.value = `What came after step ${step} is gone. Your browser's Back brings it back.`
}

/** Another start. Steps that make no sense with it are left out. */
export function restartWith(start: Start): void {
  const before = place.value.scenario
  const scenario = withoutNonsense({ start: withoutStrayClaims(start), steps: before.steps })
  if (!change({ scenario, step: Math.min(place.value.step, scenario.steps.length) })) return
  const lost = before.steps.length - scenario.steps.length
  if (lost > 0) note.value = `${lost} of the steps make no sense any more and are gone.`
}

/** Shows what the address names, or the default scenario and a note that says why not. */
export function readAddress(): void {
  pause()
  chosen.value = undefined
  round.value = LAST_ROUND
  note.value = undefined
  try {
    place.value = decode(location.hash) ?? first
  } catch (error) {
    place.value = first
    note.value = `The address could not be read: ${(error as Error).message}. This is the default scenario.`
  }
}

export function followAddress(): void {
  readAddress()
  // Going back, and an address typed by hand, raise this one as well as hashchange.
  addEventListener('popstate', readAddress)
}
