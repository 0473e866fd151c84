import { type Choice, chooseKafka } from './choose'
import { startProcessKafka } from './process'
import { type KafkaOptions, KafkaUnavailable, type RunningKafka } from './types'

export type { KafkaNode, KafkaOptions, RunningKafka } from './types'

/**
 * Starts a Kafka 4.3.1 of one node or three, on what `choice` says, by default what suits this machine.
 *
 * @throws KafkaUnavailable where there is neither an engine with an image nor Java and Maven.
 */
export async function startKafka(options: KafkaOptions = {}, choice?: Choice): Promise<RunningKafka> {
  const { kind, image, why } = choice ?? (await chooseKafka())
  if (kind === 'process')
    return startProcessKafka(options).catch(error => {
      if (!(error instanceof KafkaUnavailable)) throw error
      throw new KafkaUnavailable(
        `No Kafka can run here. Not in a container: ${why}. Not as a process: ${error.message}.`,
      )
    })
  const { startContainerKafka } = require('./container') as typeof import('./container')
  return startContainerKafka(image as string, options)
}
