/**
 * How long partitions stand still in a rebalance, and what happens to their records, beside other assignors and Java.
 *
 *     npm run bench:pause -- [PART…] [--runs 3] [--candidates stock,in-place] [--write] [--page]
 *
 * Without names every part runs. What a part has measured is kept in build/bench-pause; --write makes docs/bench-pause.md
 * and its pictures of what has been measured last, if no part and no candidate is missing. --page does only that.
 * The part stop-joining has a section of its own: `stop-joining --write` replaces that in the page as it stands.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type RunningKafka, startKafka } from '../../integration/support/kafka'
import { root } from '../../integration/support/root'
import { type Candidate, choose, pauseCandidates } from '../live/candidates'
import { machine } from '../live/machine'
import { Life, type LifeResult } from './life'
import { page, partTable } from './page'
import { type Part, parts } from './parts'
import { picture } from './picture'
import { stopsOf } from './stop-joining'
import { type StopsResult, stopsTable, withStops } from './stop-page'

export interface PartResult {
  part: string
  date: string
  machine: string
  runs: number
  lives: LifeResult[]
}

const kept = join(root, 'build/bench-pause')
const pageFile = join(root, 'docs/bench-pause.md')
const stopJoining = 'stop-joining'
const fileOf = (part: string) => join(kept, `${part}.json`)

export async function main(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '3' },
      candidates: { type: 'string' },
      write: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
    },
  })
  if (values.page) return write()
  const names = [...parts.map(({ name }) => name), stopJoining]
  const unknown = positionals.filter(name => !names.includes(name))
  if (unknown.length > 0) throw new Error(`no part ${unknown}; there are ${names}`)
  const wanted = (name: string) => positionals.length === 0 || positionals.includes(name)
  const candidates = choose(pauseCandidates, values.candidates)
  const runs = Number(values.runs)
  mkdirSync(kept, { recursive: true })
  for (const part of parts.filter(({ name }) => wanted(name))) {
    const result = await measure(part, candidates, runs)
    writeFileSync(fileOf(part.name), JSON.stringify(result))
    console.log(`\n${partTable(part, result)}\n`)
  }
  if (wanted(stopJoining)) {
    const result = await measureStops(candidates, runs)
    writeFileSync(fileOf(stopJoining), JSON.stringify(result))
    console.log(`\n${stopsTable(result)}\n`)
  }
  if (!values.write) return 0
  return positionals.every(name => name === stopJoining) && positionals.length > 0 ? writeStops() : write()
}

async function measure(part: Part, candidates: Candidate[], runs: number): Promise<PartResult> {
  const lives = await withEach(part.name, part.brokers, candidates, (kafka, candidate) =>
    Life.of(kafka, candidate, part, runs),
  )
  return { part: part.name, date: today(), machine: machine(), runs, lives }
}

async function measureStops(all: Candidate[], runs: number): Promise<StopsResult> {
  const candidates = await withEach(stopJoining, 1, stoppable(all), (kafka, candidate) =>
    stopsOf(kafka, candidate, runs),
  )
  return { date: today(), runs, candidates }
}

/** Java's consumer is closed by the thread that polls, which is another matter. */
const stoppable = (all: Candidate[]) => all.filter(({ client }) => client === 'kafkajs')

/** Measures one candidate after the other on the same brokers. */
async function withEach<T>(
  part: string,
  nodes: 1 | 2,
  candidates: Candidate[],
  measureOne: (kafka: RunningKafka, candidate: Candidate) => Promise<T>,
): Promise<T[]> {
  const kafka = await startKafka({ nodes }, { kind: 'process', why: 'nothing between it and the machine' })
  const results: T[] = []
  try {
    for (const candidate of candidates) {
      process.stderr.write(`${part}, ${candidate.title}\n`)
      results.push(await measureOne(kafka, candidate))
    }
  } finally {
    await kafka.remove()
  }
  return results
}

const today = () => new Date().toISOString().slice(0, 10)

function write(): number {
  const missing = [...parts.map(({ name }) => name), stopJoining].filter(name => !existsSync(fileOf(name)))
  if (missing.length > 0) throw new Error(`not measured yet: ${missing}`)
  const results = parts.map(({ name }) => JSON.parse(readFileSync(fileOf(name), 'utf8')) as PartResult)
  for (const { part, lives } of results)
    if (lives.length < pauseCandidates.length) throw new Error(`${part} was not measured with every candidate`)
  writeFileSync(pageFile, page(results))
  writeStops()
  for (const result of results) writeFileSync(join(root, `docs/bench-pause-${result.part}.svg`), picture(result))
  return 0
}

function writeStops(): number {
  const result = JSON.parse(readFileSync(fileOf(stopJoining), 'utf8')) as StopsResult
  if (result.candidates.length < stoppable(pauseCandidates).length)
    throw new Error(`${stopJoining} was not measured with every candidate`)
  writeFileSync(pageFile, withStops(readFileSync(pageFile, 'utf8'), result))
  return 0
}
