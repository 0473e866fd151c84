import { type Choice, chooseKafka } from './choose'
import { coordinatorReady } from './coordinator-ready'
import { startProcessKafka } from './process'
import { type KafkaOptions, KafkaUnavailable, type RunningKafka } from './types'

export type { KafkaNode, KafkaOptions, RunningKafka } from './types'

/**
 * Starts a Kafka 4.3.1 of one node or three, on what `choice` says, by default what suits this machine, and waits until
 * groups can be coordinated; whoever secures its listeners has to wait for that with credentials.
 *
 * @throws KafkaUnavailable where there is neither an engine with an image nor Java and Maven.
 */
export async function startKafka(options: KafkaOptions = {}, choice?: Choice): Promise<RunningKafka> {
  const kafka = await startWhere(choice ?? (await chooseKafka()), options)
  try {
    if (!options.properties?.['listener.security.protocol.map']) await coordinatorReady(kafka.brokers)
  } catch (error) {
    await kafka.remove()
    throw error
  }
  return kafka
}

async function startWhere({ kind, image, why }: Choice, options: KafkaOptions): Promise<RunningKafka> {
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
