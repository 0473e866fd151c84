/**
 * A group that grows and shrinks, with every strategy of kafkajs, of this package and of Kafka's Java client.
 *
 *     npm run bench:groups -- [--candidates stock,sticky] [--write]
 *
 * --write, for a run of all candidates, makes docs/comparison.md and its charts.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startKafka } from '../../integration/support/kafka'
import { root } from '../../integration/support/root'
import { choose, groupCandidates } from '../live/candidates'
import { loadNow, machine } from '../live/machine'
import { chart } from './chart'
import { type LifeResult, live } from './life'
import { changeTable, page } from './page'

export async function main(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: { candidates: { type: 'string' }, write: { type: 'boolean', default: false } },
  })
  if (values.write && values.candidates) throw new Error('--write is for a run of all candidates')
  const load = loadNow()
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
  writeFileSync(join(root, 'build/bench-groups.json'), JSON.stringify(results))
  for (const { change } of results[0]!.changes) console.log(`\n${change}\n\n${changeTable(results, change)}`)
  if (values.write) {
    writeFileSync(join(root, 'docs/comparison.md'), page(results, { machine: machine(), load }))
    writeFileSync(join(root, 'docs/comparison-moved.svg'), chart(results, 'moved'))
    writeFileSync(join(root, 'docs/comparison-pauses.svg'), chart(results, 'pauses'))
  }
  return 0
}
