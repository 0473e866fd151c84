/** What the cooperative assignor is meant to reach, and whether it did. */
import { ms } from '../live/markdown'
import { type Figures, figuresOf } from './figures'
import type { Step } from './life'
import type { PartResult } from './main'
import { parts } from './parts'

export interface GoalRow {
  part: string
  step: string
  goal: string
  reached: string
  met: boolean
}

/** The bound on a gap in ms, and in words. B: the quiet gap of the same run. */
type Bound = (figures: Figures, java: Figures | undefined) => [number, string] | undefined

const fixed =
  (bound: number): Bound =>
  () => [bound, `≤ ${ms(bound)}`]
const either = (words: string, bound: (b: number) => number): Bound => {
  return ({ quietGap }) => [bound(quietGap ?? 0), `≤ ${words}: ${ms(bound(quietGap ?? 0))}`]
}
const nearQuiet = either('1.5·B or B + 60', b => Math.max(1.5 * b, b + 60))
const nearQuietLoosely = either('1.5·B or 400', b => Math.max(1.5 * b, 400))
const notAboveJava: Bound = ({ quietGap }, java) => {
  if (java?.keptGap == null) return undefined
  const bound = java.keptGap + (quietGap ?? 0)
  return [bound, `≤ Java, cooperative-sticky + B: ${ms(bound)}`]
}

const keptWhenOneComesOrGoes = ['join', 'stop'].flatMap(step =>
  [nearQuiet, notAboveJava].map(bound => ({ step, of: 'keptGap' as const, bound })),
)

const goals: Record<string, { step: string; of: 'keptGap' | 'movedGap' | 'leaveMs'; bound: Bound }[]> = {
  '500ms': [
    ...keptWhenOneComesOrGoes,
    { step: 'join', of: 'movedGap', bound: fixed(150) },
    { step: 'stop', of: 'movedGap', bound: fixed(650) },
    { step: 'stop', of: 'leaveMs', bound: fixed(100) },
  ],
  '500ms-two-brokers': keptWhenOneComesOrGoes,
  defaults: keptWhenOneComesOrGoes,
  'defaults-two-brokers': [...keptWhenOneComesOrGoes, { step: 'stop', of: 'movedGap', bound: fixed(800) }],
  faults: [
    { step: 'slow handler', of: 'keptGap', bound: fixed(120) },
    { step: 'kill', of: 'keptGap', bound: fixed(200) },
    { step: 'kill', of: 'movedGap', bound: fixed(7000) },
  ],
  'slow-leader': [{ step: 'slow leader', of: 'keptGap', bound: nearQuietLoosely }],
}

const what = {
  keptGap: 'gap of kept partitions',
  movedGap: 'gap of moved partitions',
  leaveMs: "from the leaver's last handler to the end of stop()",
}

/** For the tier in place. */
export function goalRows(results: PartResult[]): GoalRow[] {
  const all = Object.entries(goals).flatMap(([part, some]) => some.map(goal => ({ part, ...goal })))
  return all.flatMap(({ part, step, of, bound }) => {
    const { lives } = results.find(result => result.part === part)!
    const figures = (candidate: string) => {
      const life = lives.find(each => each.candidate === candidate)
      return life && figuresOf(life, step)
    }
    const ours = figures('in-place')!
    const limit = bound(ours, figures('java-cooperative-sticky'))
    if (!limit) return []
    const [most, goal] = limit
    const reached = ours[of]
    return {
      part: parts.find(({ name }) => name === part)!.title,
      step: `${step}: ${what[of]}`,
      goal,
      reached: ms(reached),
      met: reached !== null && Math.round(reached) <= Math.round(most),
    }
  })
}

/** What is counted, in both tiers, over all parts and runs. */
export function countRows(results: PartResult[], candidate: string): [string, string, string, boolean][] {
  const lives = results.map(({ lives }) => lives.find(each => each.candidate === candidate)!)
  const steps = lives.flatMap(life => life.steps)
  const among = (...names: string[]) => steps.filter(({ step }) => names.includes(step))
  const sum = (some: Step[], of: (step: Step) => number) => some.reduce((total, step) => total + of(step), 0)
  const most = (some: Step[]) => Math.max(...some.map(({ generations }) => generations))
  const row = (name: string, reached: number, goal = 0): [string, string, string, boolean] => [
    name,
    goal === 0 ? '0' : `≤ ${goal}`,
    String(reached),
    reached <= goal,
  ]
  return [
    row(
      'records never handled',
      lives.reduce((total, { never }) => total + never, 0),
    ),
    row(
      'handled by two at once',
      sum(steps, ({ atOnce }) => atOnce),
    ),
    row(
      'handled twice when members join and stop',
      sum(among('join', 'stop', 'slow handler', 'slow leader'), ({ twice }) => twice),
    ),
    row(
      'partitions moved beyond the fewest',
      sum(steps, ({ moved, fewest }) => moved - fewest),
    ),
    row('generations of a join', most(among('join')), 2),
    row('generations of a stop or kill', most(among('stop', 'kill')), 1),
  ]
}
