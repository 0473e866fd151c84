/**
 * The planner beside franz-go and Kafka's Java client: same groups, one run, each contender warm in its own process.
 *
 *   npm run bench:planner -- [PART…] [--results DIR [--again | --kept]] [--write] [--warm S] [--measure S] [--cap S] [--cpu]
 *
 * A PART is a case, growth, memory or loop; without names every part runs. --results keeps each part in DIR as soon as it
 * is measured, and takes from there what was measured before, so that a long run can be done in pieces; --again measures
 * our side of those cases anew, --kept measures nothing. --write puts the
 * page into docs/bench-planner.md (and the plot beside it); --cap is how long one plan of a peer may take; --cpu measures
 * CPU time, for machines with other work. Expects `node scripts/build.mjs` to have been done.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { goPeer, javaPeer } from '../peers/build.mjs'
import { buildCase, cases } from './cases.mjs'
import { measure } from './contender.mjs'
import { readAnswer, writeGroup } from './groupfile.mjs'
import { measureGrowth } from './growth.mjs'
import { judge } from './judge.mjs'
import { measureLoop, measureMemory } from './leader.mjs'
import { page } from './page.mjs'
import { plot } from './plot.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    warm: { type: 'string', default: '2' },
    measure: { type: 'string', default: '2' },
    cap: { type: 'string', default: '60' },
    results: { type: 'string' },
    again: { type: 'boolean', default: false },
    kept: { type: 'boolean', default: false },
    cpu: { type: 'boolean', default: false },
  },
})
// Inherited by every process that plans.
if (values.cpu) process.env.BENCH_CLOCK = 'cpu'
const known = [...cases.map(({ name }) => name), 'growth', 'memory', 'loop']
const unknown = positionals.filter(name => !known.includes(name))
if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; there are ${known.join(', ')}`)
if (values.write && positionals.length > 0) throw new Error('--write is for a run of everything')
const wanted = name => positionals.length === 0 || positionals.includes(name)

const here = dirname(fileURLToPath(import.meta.url))
const docs = join(here, '../../docs')
const scratch = mkdtempSync(join(tmpdir(), 'bench-planner-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const groupFile = join(scratch, 'group')
const answerFile = join(scratch, 'answer')
const capMs = Number(values.cap) * 1000
const ours = { command: [process.execPath, '--expose-gc', '--max-old-space-size=6000', join(here, 'ours.mjs')] }
const peers = { franz: await goPeer(), java: await javaPeer() }

const timed = (contender, figure, { warm = values.warm, time = values.measure } = {}) =>
  contender.missing
    ? { missing: contender.missing }
    : measure([...contender.command, groupFile, answerFile, figure, warm, time], capMs)

/** Times a contender with the plain strategy and looks at what it answered. */
async function timedAndJudged(contender, group) {
  rmSync(answerFile, { force: true })
  const result = await timed(contender, 'plan')
  return result.runs ? { ...result, quality: judge(group, readAnswer(answerFile)) } : result
}

async function runCase(each, before) {
  const group = buildCase(each)
  writeGroup(groupFile, group)
  const row = { ...each, ours: {}, franz: {}, java: {} }
  // What nothing is compared with is left out.
  const asked = new Set(each.goals.map(({ figure }) => figure))
  for (const figure of ['coop', ...(asked.has('answer') ? ['answer'] : []), 'bytes'])
    row.ours[figure] = await timed(ours, figure)
  row.ours.sticky = await timedAndJudged(ours, group)
  compareWithOwnReport(row)
  if (before) return { ...before, ours: row.ours, again: true }
  for (const [who, figures] of [
    ['franz', asked.has('bytes') ? ['coop', 'bytes'] : ['coop']],
    ['java', ['coop']],
  ]) {
    for (const figure of figures) row[who][figure] = await timed(peers[who], figure)
    // Its sticky strategy is the same algorithm: it would be ended too.
    row[who].sticky = row[who].coop.over ? row[who].coop : await timedAndJudged(peers[who], group)
  }
  for (const who of ['ours', 'franz', 'java'])
    for (const [figure, { error }] of Object.entries(row[who]))
      if (error) process.stderr.write(`\n${row.name}, ${who} ${figure}: ${error}\n`)
  return row
}

/** What the planner says of its plan has to be what the judge sees. */
function compareWithOwnReport({ name, ours: { sticky } }) {
  if (!sticky.quality) throw new Error(`${name}: ${JSON.stringify(sticky)}`)
  const { report, quality } = sticky
  const said = [report.moved, report.balance.min, report.balance.max, report.spread.sumOfSquares]
  const seen = [quality.moved, quality.min, quality.max, quality.spread]
  if (said.join() !== seen.join()) throw new Error(`${name}: the report says ${said}, the plan is ${seen}`)
}

/** For series of many groups. */
function timeShortly(group) {
  writeGroup(groupFile, group)
  return timed(ours, 'plan', { warm: '0.7', time: '0.7' })
}

/** Measures a part, or takes what an earlier run has kept of it. */
async function part(name, measureIt) {
  if (!wanted(name)) return null
  const file = values.results && join(values.results, `${name}.json`)
  const kept = file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  if (values.kept || (kept && !(values.again && kept.found.ours))) return kept
  process.stderr.write(`${name} `)
  const [load] = loadavg()
  const result = { load, found: await measureIt(kept?.found) }
  if (file) {
    mkdirSync(values.results, { recursive: true })
    writeFileSync(file, JSON.stringify(result))
  }
  return result
}

const leader = { command: [process.execPath, '--expose-gc', join(here, 'leader-process.mjs')], groupFile }
const parts = []
for (const each of cases) parts.push(await part(each.name, before => runCase(each, before)))
const rows = parts.filter(Boolean).map(({ found }) => found)
const growth = await part('growth', () => measureGrowth(timeShortly))
const memory = await part('memory', () => measureMemory(leader))
const loop = await part('loop', () => measureLoop(leader))
process.stderr.write('\n')

// The parts before leave some load behind: only the least says whether there was other work.
const load = Math.min(...[...parts, growth, memory, loop].filter(Boolean).map(each => each.load))
const text = page({
  rows,
  growth: growth?.found,
  memory: memory?.found,
  loop: loop?.found,
  peers,
  options: values,
  load,
})
console.log(text)
if (values.write) {
  writeFileSync(join(docs, 'bench-planner.md'), text)
  if (growth) writeFileSync(join(docs, 'bench-planner-growth.svg'), plot(growth.found))
}
