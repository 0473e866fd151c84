/** A soak of so many minutes, told as it goes. */
import { parseArgs } from 'node:util'
import { startKafka } from '../../integration/support/kafka'
import { chooseKafka, describeChoice } from '../../integration/support/kafka/choose'
import { describeSoak, soak } from '../../integration/support/soak'

/** @returns the exit status: 1 if a record was lost or handled by two at once. */
export async function main(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: { minutes: { type: 'string', default: '30' }, seed: { type: 'string' } },
  })
  const minutes = Number(values.minutes)
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  if (!(minutes > 0) || !Number.isInteger(seed)) {
    console.error('usage: npm run soak -- [--minutes 30] [--seed 1]')
    return 2
  }
  const choice = await chooseKafka()
  console.log(`Kafka in ${describeChoice(choice)}\n${minutes} min of chance, --seed ${seed}`)
  const kafka = await startKafka({ nodes: 2 }, choice)
  const began = Date.now()
  const onEvent = (event: string) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${event}`)
  try {
    const result = await soak(kafka, { seed, durationMs: minutes * 60_000, onEvent })
    console.log(describeSoak(result))
    return result.lost.length + result.atOnce.length + result.needlessly.length > 0 ? 1 : 0
  } finally {
    await kafka.remove()
  }
}
