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

/** The bound on a gap, in words and in ms. B: the quiet gap of the same run. */
type Bound = (figures: Figures, java: Figures | undefined) => [string, number] | undefined

const beside =
  (factor: number, least: number): Bound =>
  ({ quietGap }) => [`≤ ${factor}·B or ${least} ms`, Math.max(factor * (quietGap ?? 0), least)]
const atMost =
  (bound: number): Bound =>
  () => [`≤ ${ms(bound)} ms`, bound]
const notAboveJava: Bound = ({ quietGap }, java) =>
  java?.keptGap == null ? undefined : [`≤ Java cooperative-sticky + B`, java.keptGap + (quietGap ?? 0)]

const goals: { part: string; step: string; of: 'keptGap' | 'movedGap' | 'leaveMs'; bound: Bound }[] = [
  ...['500ms', '500ms-two-brokers', 'defaults', 'defaults-two-brokers'].flatMap(part =>
    ['join', 'stop'].flatMap(step => [
      { part, step, of: 'keptGap' as const, bound: plusSixty },
      { part, step, of: 'keptGap' as const, bound: notAboveJava },
    ]),
  ),
  { part: '500ms', step: 'join', of: 'movedGap', bound: atMost(150) },
  { part: '500ms', step: 'stop', of: 'movedGap', bound: atMost(650) },
  { part: '500ms', step: 'stop', of: 'leaveMs', bound: atMost(100) },
  { part: '500ms-two-brokers', step: 'stop', of: 'movedGap', bound: atMost(800) },
  { part: 'faults', step: 'slow handler', of: 'keptGap', bound: atMost(120) },
  { part: 'faults', step: 'kill', of: 'keptGap', bound: atMost(200) },
  { part: 'faults', step: 'kill', of: 'movedGap', bound: atMost(7000) },
  { part: 'slow-leader', step: 'slow leader', of: 'keptGap', bound: beside(1.5, 400) },
]

function plusSixty({ quietGap }: Figures): [string, number] {
  const b = quietGap ?? 0
  return ['≤ 1.5·B or B + 60 ms', Math.max(1.5 * b, b + 60)]
}

const what = {
  keptGap: 'gap of kept partitions',
  movedGap: 'gap of moved partitions',
  leaveMs: "from the leaver's last handler to the end of stop()",
}

/** For the tier in place. */
export function goalRows(results: PartResult[]): GoalRow[] {
  return goals.flatMap(({ part, step, of, bound }) => {
    const lives = results.find(result => result.part === part)!.lives
    const figures = (candidate: string) => {
      const life = lives.find(each => each.candidate === candidate)
      return life && figuresOf(life, step)
    }
    const ours = figures('in-place')!
    const limit = bound(ours, figures('java-cooperative-sticky'))
    if (!limit) return []
    const [words, most] = limit
    const reached = ours[of]
    return {
      part: parts.find(({ name }) => name === part)!.title,
      step: `${step}: ${what[of]}`,
      goal: `${words}: ${ms(most)}`,
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
