/** The runs of a step brought to one row. */
import type { LifeResult, Step } from './life'

export interface Figures {
  runs: number
  kept: number
  keptGap: number | null
  /** Of the run with the longest one. */
  keptWorst: number | null
  /** Of the run with the shortest gap. */
  quietGap: number | null
  moved: number
  fewest: number
  movedGap: number | null
  movedWorst: number | null
  generations: number[]
  twice: number
  atOnce: number
  leaveMs: number | null
}

/** Gaps: the best run, since other work of the machine only adds. Counts: the worst, or the sum. */
export function figuresOf(life: LifeResult, name: string): Figures | undefined {
  const runs = life.steps.filter(({ step }) => step === name)
  const [first] = runs
  if (!first) return undefined
  const best = shortest(runs, ({ keptGap }) => keptGap) ?? first
  const worst = runs.reduce((one, other) => (other.moved - other.fewest > one.moved - one.fewest ? other : one))
  return {
    runs: runs.length,
    kept: worst.kept,
    keptGap: best.keptGap,
    keptWorst: longest(runs, ({ keptGap }) => keptGap),
    quietGap: best.quietGap,
    moved: worst.moved,
    fewest: worst.fewest,
    movedGap: shortest(runs, ({ movedGap }) => movedGap)?.movedGap ?? null,
    movedWorst: longest(runs, ({ movedGap }) => movedGap),
    generations: [...new Set(runs.map(({ generations }) => generations))].sort((a, b) => a - b),
    twice: sum(runs, ({ twice }) => twice),
    atOnce: sum(runs, ({ atOnce }) => atOnce),
    leaveMs: shortest(runs, ({ leaveMs }) => leaveMs)?.leaveMs ?? null,
  }
}

function shortest(runs: Step[], gapOf: (step: Step) => number | null): Step | undefined {
  const measured = runs.filter(step => gapOf(step) !== null)
  return measured.sort((a, b) => gapOf(a)! - gapOf(b)!)[0]
}

function longest(runs: Step[], gapOf: (step: Step) => number | null): number | null {
  const gaps = runs.map(gapOf).filter(gap => gap !== null)
  return gaps.length > 0 ? Math.max(...gaps) : null
}

const sum = (runs: Step[], of: (step: Step) => number) => runs.reduce((total, step) => total + of(step), 0)
