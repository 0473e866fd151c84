/**
 * A group that grows and shrinks, with every strategy of kafkajs, of this package and of Kafka's Java client.
 *
 *     npm run bench:groups -- [--candidates stock,sticky] [--write] [--page]
 *
 * What was measured is kept in build/bench-groups.json; --write, for a run of all candidates, makes docs/comparison.md and its
 * charts of it. --page does only that.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startKafka } from '../../integration/support/kafka'
import { root } from '../../integration/support/root'
import { choose, groupCandidates } from '../live/candidates'
import { machine } from '../live/machine'
import { chart } from './chart'
import { type LifeResult, live } from './life'
import { changeTable, page } from './page'

export interface Run {
  date: string
  machine: string
  results: LifeResult[]
}

const kept = join(root, 'build/bench-groups.json')

export async function main(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      candidates: { type: 'string' },
      write: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
    },
  })
  if (values.write && values.candidates) throw new Error('--write is for a run of all candidates')
  if (values.page) return write()
  const results: LifeResult[] = []
  const kafka = await startKafka({}, { kind: 'process', why: 'nothing between it and the machine' })
  try {
    for (const candidate of choose(groupCandidates, values.candidates)) {
      process.stderr.write(`${candidate.title}\n`)
      results.push(await live(kafka, candidate))
    }
  } finally {
    await kafka.remove()
  }
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(kept, JSON.stringify({ date: new Date().toISOString().slice(0, 10), machine: machine(), results }))
  for (const { change } of results[0]!.changes) console.log(`\n${change}\n\n${changeTable(results, change)}`)
  return values.write ? write() : 0
}

function write(): number {
  const run = JSON.parse(readFileSync(kept, 'utf8')) as Run
  if (run.results.length < groupCandidates.length) throw new Error('not every candidate was measured')
  writeFileSync(join(root, 'docs/comparison.md'), page(run))
  writeFileSync(join(root, 'docs/comparison-moved.svg'), chart(run.results, 'moved'))
  writeFileSync(join(root, 'docs/comparison-pauses.svg'), chart(run.results, 'pauses'))
  return 0
}
