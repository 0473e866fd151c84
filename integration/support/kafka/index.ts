import { startProcessKafka } from './process'
import type { KafkaOptions, RunningKafka } from './types'

export type { KafkaNode, KafkaOptions, RunningKafka } from './types'

/** A Kafka 4.3.1 of one node or three. */
export function startKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  return startProcessKafka(options)
}
