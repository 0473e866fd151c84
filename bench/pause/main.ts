/**
 * How long partitions stand still in a rebalance, and what happens to their records, beside other assignors and Java.
 *
 *     npm run bench:pause -- [PART…] [--runs 3] [--candidates stock,in-place] [--write] [--page]
 *
 * Without names every part runs. What a part has measured is kept in build/bench-pause; --write makes docs/bench-pause.md
 * and its pictures of what has been measured last, if no part and no candidate is missing. --page does only that.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startKafka } from '../../integration/support/kafka'
import { root } from '../../integration/support/root'
import { choose, pauseCandidates } from '../live/candidates'
import { machine } from '../live/machine'
import { Life, type LifeResult } from './life'
import { page, partTable } from './page'
import { type Part, parts } from './parts'
import { picture } from './picture'

export interface PartResult {
  part: string
  date: string
  machine: string
  runs: number
  lives: LifeResult[]
}

const kept = join(root, 'build/bench-pause')
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
  const unknown = positionals.filter(name => !parts.some(part => part.name === name))
  if (unknown.length > 0) throw new Error(`no part ${unknown}; there are ${parts.map(part => part.name)}`)
  const candidates = choose(pauseCandidates, values.candidates)
  for (const part of parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    const result = await measure(part, candidates, Number(values.runs))
    mkdirSync(kept, { recursive: true })
    writeFileSync(fileOf(part.name), JSON.stringify(result))
    console.log(`\n${partTable(part, result)}\n`)
  }
  return values.write ? write() : 0
}

async function measure(part: Part, candidates: typeof pauseCandidates, runs: number): Promise<PartResult> {
  const kafka = await startKafka(
    { nodes: part.brokers },
    { kind: 'process', why: 'nothing between it and the machine' },
  )
  const lives: LifeResult[] = []
  try {
    for (const candidate of candidates) {
      process.stderr.write(`${part.name}, ${candidate.title}\n`)
      lives.push(await Life.of(kafka, candidate, part, runs))
    }
  } finally {
    await kafka.remove()
  }
  return { part: part.name, date: new Date().toISOString().slice(0, 10), machine: machine(), runs, lives }
}

function write(): number {
  const missing = parts.filter(({ name }) => !existsSync(fileOf(name))).map(({ name }) => name)
  if (missing.length > 0) throw new Error(`not measured yet: ${missing}`)
  const results = parts.map(({ name }) => JSON.parse(readFileSync(fileOf(name), 'utf8')) as PartResult)
  for (const { part, lives } of results)
    if (lives.length < pauseCandidates.length) throw new Error(`${part} was not measured with every candidate`)
  writeFileSync(join(root, 'docs/bench-pause.md'), page(results))
  for (const result of results) writeFileSync(join(root, `docs/bench-pause-${result.part}.svg`), picture(result))
  return 0
}
