import { chooseKafka, chooseNodeImage, describeChoice } from './kafka/choose'
import { say } from './wait'

/** Decides once for all files where Kafka comes from, and says so. */
export default async function globalSetup(): Promise<void> {
  const choice = await chooseKafka()
  say(`Kafka in ${describeChoice(choice)}`)
  process.env.KAFKA_BROKER = choice.kind
  if (choice.image) process.env.KAFKA_IMAGE = choice.image
  if (choice.kind !== 'container') return
  const nodeImage = await chooseNodeImage()
  if (nodeImage) process.env.NODE_IMAGE = nodeImage
  const { sweepAbandoned } = require('./kafka/engine') as typeof import('./kafka/engine')
  await sweepAbandoned()
}
