/** The results as a page of Markdown. */
import { cpus } from 'node:os'
import { cases, obstacles } from './cases.mjs'
import { exponent } from './plot.mjs'

/** @param load load average before the run */
export function page({ rows, growth, memory, loop, peers, options, load }) {
  const parts = [
    '# The planner, measured',
    [
      'Printed by `npm run bench:planner -- --write`; nothing here is written by hand.',
      `${cpus().length} cores, Node ${process.versions.node}; ${versionOf(peers.franz, 'franz-go')}; ${versionOf(peers.java, 'Java')}.`,
      `Load average before (the least of all parts; a part leaves some to the next): ${load.toFixed(1)}.`,
    ].join('\n'),
  ]
  if (rows.length > 0) parts.push(howTimed(options, rows), goals(rows), everyFigure(rows), quality(rows))
  if (growth) parts.push(growthPart(growth))
  if (memory) parts.push(memoryPart(memory))
  if (loop) parts.push(loopPart(loop))
  const measured = new Set(rows.map(({ name }) => name))
  const missing = [
    ...cases.map(({ name }) => name).filter(name => !measured.has(name)),
    ...Object.entries({ growth, memory, loop }).flatMap(([name, found]) => (found ? [] : [name])),
  ]
  if (missing.length > 0) parts.push(`Not measured here: ${missing.join(', ')}.`)
  return `${parts.join('\n\n')}\n`
}

const versionOf = ({ version, missing }, name) => (missing ? `${name} was not measured: ${missing}` : version)

function howTimed({ warm, measure, cap, cpu }, rows) {
  const names = rows.filter(row => row.again).map(({ name }) => name)
  const again = names.length === 0 ? '' : ` Our side of ${names.join(', ')} was measured again after the others.`
  return `${cpu ? '**CPU time of the whole process, garbage collection included, instead of time.**\n\n' : ''}Every contender plans the same generated groups (seeded, \`bench/planner/cases.mjs\`), each figure warm in a process of
its own: at least ${warm} s of plans that do not count, then at least ${measure} s that do. In ms; the best of them unless the heading says
otherwise, since other work on the machine and collections at bad moments only ever add. Inputs are built anew before each
plan and, in groups with many claims, a garbage collection is made (for us one of young objects: after a full one V8 drops
what it has compiled); neither is timed. What is timed:

- **plan**: for us the request's objects → \`plan()\`; for franz-go the \`Balance\` of its balancer on parsed JoinGroup
  members; for Java \`assignPartitions\` of its assignor. Cooperative-sticky everywhere, or sticky everywhere (its claims
  are in userData, which both peers read inside of that call).
- **with objects**: the same, and every member's assignment as objects.
- **bytes**: from JoinGroup's metadata to SyncGroup's assignments, with the code that a leader runs.

"> ${cap} s": one plan took longer, and the process was ended; the same peer's other strategy was not tried then. Where the
first plan took several seconds it is the only one.${again}`
}

/** Cooperative-sticky, which the goals are about, and the ratio that a goal asks for. */
function goals(rows) {
  const lines = rows.flatMap(row => row.goals.map(goal => goalLine(row, goal)))
  const table = section('Goals (cooperative-sticky)', [
    ['case', 'group', 'figure', 'ours', 'franz-go', 'Java', 'ours / peer', 'goal', ''],
    ...lines,
  ])
  const missed = new Set(lines.filter(line => line.at(-1) === missedMark).map(([name]) => name))
  const why = [...missed].map(name => `- ${name}: ${obstacles[name] ?? 'not looked into.'}`)
  return why.length === 0 ? table : `${table}\n\nWhat stands in the way of the others:\n\n${why.join('\n')}`
}

function goalLine(row, { figure, peer, ratio }) {
  if (figure === 'spread proven') {
    const proven = row.ours.sticky.report.spread.proven
    return [row.name, '', figure, proven ? 'yes' : 'no', '', '', '', 'yes', mark(proven)]
  }
  const ours = row.ours[figure === 'plan' ? 'coop' : figure]
  const theirs = peer === 'franz' ? row.franz.coop : faster(row.franz.coop, row.java.coop)
  // A peer that was ended took at least so long.
  const reached = ours.best / (theirs.best ?? theirs.over)
  const verdict = reached <= ratio ? mark(true) : theirs.over ? 'peer ended too early' : missedMark
  return [
    row.name,
    row.about,
    figure === 'answer' ? 'with objects' : figure,
    ms(ours),
    ms(row.franz.coop),
    ms(row.java.coop),
    Number.isNaN(reached) ? '' : `${theirs.over ? '< ' : ''}${fraction(reached)}`,
    `≤ ${asked(ratio)} of ${peer === 'franz' ? 'franz-go' : 'the faster'}`,
    Number.isNaN(reached) ? 'no peer' : verdict,
  ]
}

/** Of two that were measured; one that was ended is the slower. */
function faster(one, other) {
  const time = ({ best, over }) => best ?? over ?? Number.POSITIVE_INFINITY
  return time(one) <= time(other) ? one : other
}

function everyFigure(rows) {
  const figures = [
    ['ours', 'coop'],
    ['ours', 'answer'],
    ['ours', 'bytes'],
    ['ours', 'sticky'],
    ['franz', 'coop'],
    ['franz', 'bytes'],
    ['franz', 'sticky'],
    ['java', 'coop'],
    ['java', 'sticky'],
  ]
  const names = { ours: 'ours', franz: 'franz-go', java: 'Java' }
  const columns = { coop: 'cooperative', answer: 'with objects', bytes: 'bytes', sticky: 'sticky' }
  const heads = figures.map(([who, figure]) => `${names[who]} ${columns[figure]}`)
  const table = (title, which) => {
    const lines = rows.map(row => {
      const reached = row.ours.sticky[which] / row.franz.sticky[which]
      const cells = figures.map(([who, figure]) => ms(row[who][figure], which))
      return [row.name, ...cells, Number.isNaN(reached) ? '' : fraction(reached)]
    })
    return section(title, [['case', ...heads, 'sticky: ours / franz-go'], ...lines])
  }
  return [
    table('Every figure', 'best'),
    table('Every figure: median', 'median'),
    table('Every figure: the first plan of a new process, nothing warm', 'first'),
  ].join('\n\n')
}

function quality(rows) {
  const lines = rows.map(row => [
    row.name,
    ...['ours', 'franz', 'java'].flatMap(who => {
      const seen = row[who].sticky.quality
      return seen ? [number(seen.moved), `${seen.min}–${seen.max}`, number(seen.spread)] : ['', '', '']
    }),
    row.ours.sticky.report.spread.proven ? 'yes' : 'no',
  ])
  const heads = ['ours', 'franz-go', 'Java'].flatMap(who => [`moved: ${who}`, 'load', 'spread'])
  return `${section('Plans', [['case', ...heads, 'our spread proven best'], ...lines])}

Sticky plans, looked at from outside by one judge (\`bench/planner/judge.mjs\`), which also checks that each is valid.
moved: partitions that do not stay with their owner. load: fewest and most partitions of a member. spread: sum over
topics and members of squared counts; it decides only between plans of equal load and equal moves.`
}

function growthPart({ partitions, members }) {
  const table = (series, what, verdict) => [
    [what, ...series[0].points.map(({ x }) => number(x)), 'grows as', ...verdict.head],
    ...series.map(({ name, points }) => {
      const slope = exponent(points)
      return [name, ...points.map(point => ms({ best: point.ms })), `x^${slope.toFixed(2)}`, ...verdict.cell(slope)]
    }),
  ]
  const asked = exponent(partitions[0].points.map(({ x }) => ({ x, ms: x * Math.log(x) })))
  const goal = { head: ['at most P·log P'], cell: slope => [mark(slope <= asked)] }
  const none = { head: [], cell: () => [] }
  return `${section('Growth with partitions', table(partitions, 'partitions', goal))}

${section('Growth with members', table(members, 'members', none))}

![Plan time by partitions and by members](bench-planner-growth.svg)

Sticky, in ms; 100 topics, one member leaves and one joins; 200 members above, 100,000 partitions below. Mixed: each member
on a random half of the topics. Uneven: topic sizes fall as 1/rank, up to 100,000 partitions. "Grows as" is the slope of
the line through the points on logarithmic axes: 1 is linear, P·log P is ${asked.toFixed(2)} here.`
}

function memoryPart(measured) {
  const lines = measured.map(({ name, partitions, peak, kept }) => [
    name,
    number(partitions),
    peak.toFixed(1),
    kept.toFixed(1),
    mark(peak <= 32),
  ])
  return `${section('Memory', [['group', 'partitions', 'most while planning', 'held by the plan', '≤ 32'], ...lines])}

Bytes a partition: heapUsed + arrayBuffers after a collection, above what the request takes; looked at in up to 15 pauses
of \`planInSlices\` and at its end.`
}

function loopPart(measured) {
  const lines = measured.map(({ name, plan, bytes }) => [
    name,
    ...[plan.ms, plan.median, plan.worst, bytes.ms, bytes.median, bytes.worst].map(best => ms({ best })),
    mark(plan.worst <= 50 && bytes.worst <= 50),
  ])
  return `${section('How long the event loop stands still', [
    ['group', 'plan', 'longest delay', 'worst of 7', 'bytes', 'longest delay', 'worst of 7', '≤ 50 ms'],
    ...lines,
  ])}

In ms, cooperative-sticky: planning alone (\`planInSlices\`), and all that a leader does from JoinGroup's metadata to
SyncGroup's assignments. Time: the best of seven runs. Delay: the longest between two ticks of a timer within a run, the
median and the worst of the runs; the first is cold.`
}

function section(title, [heads, ...lines]) {
  const row = cells => `| ${cells.join(' | ')} |`
  const rule = heads.map((_, i) => (i === 0 ? '---' : '--:'))
  return [`## ${title}`, '', row(heads), row(rule), ...lines.map(row)].join('\n')
}

const missedMark = '✗'
const mark = good => (good ? '✓' : missedMark)
const number = value => value.toLocaleString('en-US')

function ms(result, which = 'best') {
  if (!result || result.missing) return '–'
  if (result.over) return `> ${number(result.over / 1000)} s`
  if (result.error) return 'failed'
  const value = result[which]
  return value >= 100 ? number(Math.round(value)) : value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3)
}

/** A goal's ratio: 1/7, 2/3, all. */
function asked(ratio) {
  if (ratio === 1) return 'all'
  const parts = [1, 2].find(over => Number.isInteger(Math.round((over / ratio) * 1e6) / 1e6))
  return `${parts}/${Math.round(parts / ratio)}`
}

const fraction = ratio => (ratio >= 0.95 ? ratio.toFixed(2) : `1/${(1 / ratio).toFixed(1 / ratio < 10 ? 1 : 0)}`)
