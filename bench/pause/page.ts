/** docs/bench-pause.md. */
import { pauseCandidates } from '../live/candidates'
import { type Cell, ms, table } from '../live/markdown'
import { figuresOf } from './figures'
import { countRows, goalRows } from './goals'
import { nominalMs, partitions } from './life'
import type { PartResult } from './main'
import { type Part, parts } from './parts'

export function page(results: PartResult[]): string {
  const [{ machine }] = results as [PartResult, ...PartResult[]]
  return `${[
    '# Pauses, measured',
    `Printed by \`npm run bench:pause -- --write\`; nothing here is written by hand. ${results.at(-1)!.date}; ${machine}.`,
    howMeasured,
    goalPart(results),
    ...parts.map(part => partSection(part, results.find(result => result.part === part.name)!)),
  ].join('\n\n')}\n`
}

const howMeasured = `One topic of ${partitions} partitions; each gets a record every ${nominalMs} ms, and the handler does nothing. Three members, each
a process that has worked before it is measured: \`c\` stops, comes back, freezes or is killed while \`a\` and \`b\` go on. Four
partitions at a time with kafkajs (\`partitionsConsumedConcurrently\`), automatic commits; Java commits after each poll. Every
candidate lives through the same steps on the same broker, one after the other.

- **gap**: the longest time between two starts of handlers in one partition, over all of the named partitions, from the
  step until 1.5 s after the group is at rest again, in ms. Best and worst of the runs; the goals count the best, since other work of
  the machine only adds.
- **B**: the longest gap of the kept partitions in the 1.5 s before that run, when nothing happened.
- **kept**: partitions whose owner stays; **moved**: those that change it, beside the fewest that balance asks for.
- **generations**: how often the group was rebalanced in that step.
- **twice**, **at once**: records handled again; handlers that began while another of the same partition was at work. Over
  all runs. A handler that was at work when its process froze is left out of the second: nothing can stop it.
- **never**: records not handled at the end, over the whole part.

The handlers here are as fast as can be, and members that rebalance together heartbeat in step afterwards. Both are kind to an
eager group: it stands still from when its first member hears of a rebalance until the last has come, which is up to the longest
handler or, as members drift apart, up to a heartbeat. *Slow handlers* below shows the first.

In the pictures time runs to the right. A line is a partition, its colour the member that handles it; pink is a pause of
more than 120 ms.`

function goalPart(results: PartResult[]): string {
  const rows = goalRows(results)
  const missed = rows.filter(({ met }) => !met).length
  return `## Goals of \`cooperativeStickyAssignor()\`

Times, in place. ${missed === 0 ? 'All are met.' : `${rows.length - missed} of ${rows.length} are met.`}

${table(
  ['', 'step', 'goal, ms', 'reached, ms', ''],
  rows.map(({ part, step, goal, reached, met }) => [part, step, goal, reached, mark(met)]),
)}

Counted over all parts and runs:

${table(
  ['tier', 'what', 'goal', 'reached', ''],
  ['in-place', 'surfaced'].flatMap(tier =>
    countRows(results, tier).map(([name, goal, reached, met]) => [
      tier.replace('-', ' '),
      name,
      goal,
      reached,
      mark(met),
    ]),
  ),
)}`
}

const mark = (met: boolean) => (met ? 'met' : '**missed**')

const partSection = (part: Part, result: PartResult) =>
  `## ${part.title}

${timesOf(part, result.runs)}

${partTable(part, result)}

![Every partition, every candidate](bench-pause-${part.name}.svg)`

function timesOf({ name, times }: Part, runs: number): string {
  return `${runs === 1 ? 'One run' : `${runs} runs`}. Session ${ms(times.session)} ms, heartbeat ${ms(times.heartbeat)} ms, kafkajs' \`maxWaitTimeInMs\` ${ms(times.maxWait)}; the
cooperative assignor sends its own heartbeats every 500 ms, whatever kafkajs is told.${notes(name)}`
}

function notes(name: string): string {
  if (name === 'faults')
    return `

**slow handler**: \`c\` joins while one partition of another member is handled in 1.5 s every 2 s; kept are the partitions of
the members without it. **pause**: the process of \`c\` is stopped for longer than its session, and continued; its partitions move
twice. **kill**: SIGKILL; its partitions wait for the end of the session.`
  if (name === 'slow-leader')
    return `

\`c\` joins \`a\` and \`b\`, and whoever leads takes 4 s between JoinGroup and SyncGroup. Java's leader plans within poll(), so its own
partitions wait for the plan.`
  return ''
}

const range = (best: number | null, worst: number | null) =>
  ms(best) === ms(worst) ? ms(best) : `${ms(best)}–${ms(worst)}`

/** The figures of a part, for the page and for the terminal. */
export function partTable(part: Part, { lives, runs }: PartResult): string {
  const rows: Cell[][] = part.steps.flatMap(step =>
    lives.map(life => {
      const figures = figuresOf(life, step)!
      return [
        figures.runs < runs ? `${step}, ${figures.runs === 1 ? 'once' : `${figures.runs} runs`}` : step,
        pauseCandidates.find(({ id }) => id === life.candidate)!.title,
        figures.kept,
        range(figures.keptGap, figures.keptWorst),
        ms(figures.quietGap),
        `${figures.moved} (${figures.fewest})`,
        range(figures.movedGap, figures.movedWorst),
        figures.generations.join('–'),
        figures.twice,
        figures.atOnce,
        life.never,
      ]
    }),
  )
  const heads = ['step', '', 'kept', 'gap kept', 'B', 'moved (fewest)', 'gap moved', 'generations', 'twice', 'at once']
  return table([...heads, 'never'], rows)
}
