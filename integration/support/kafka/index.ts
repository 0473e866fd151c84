import { type Choice, chooseKafka } from './choose'
import { startProcessKafka } from './process'
import type { KafkaOptions, RunningKafka } from './types'

export type { KafkaNode, KafkaOptions, RunningKafka } from './types'

/** Starts a Kafka 4.3.1 of one node or three, on what `choice` says, by default what suits this machine. */
export async function startKafka(options: KafkaOptions = {}, choice?: Choice): Promise<RunningKafka> {
  const { kind, image } = choice ?? (await chooseKafka())
  if (kind === 'process') return startProcessKafka(options)
  const { startContainerKafka } = require('./container') as typeof import('./container')
  return startContainerKafka(image as string, options)
}
