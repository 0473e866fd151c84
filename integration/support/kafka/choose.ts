/** Where Kafka comes from on this machine, and why. */
import { KafkaUnavailable } from './types'
export const officialImage = 'apache/kafka:4.3.1'
/** What scripts/images/build.sh makes where no registry can be reached. */
const standIn = 'localhost/kafka:4.3.1'
const nodeImages = ['node:20-bookworm-slim', 'localhost/node:20'] as const

export interface Choice {
  kind: 'container' | 'process'
  image?: string
  why: string
}

export function describeChoice({ kind, image, why }: Choice): string {
  return `${kind === 'container' ? `containers of ${image}` : 'processes of this machine'}: ${why}`
}

/**
 * Containers where an engine answers and has the image or can pull it, else processes. KAFKA_IMAGE names another image,
 * KAFKA_BROKER=process or =container takes the choice away.
 */
export async function chooseKafka(env: NodeJS.ProcessEnv = process.env): Promise<Choice> {
  const wanted = env.KAFKA_BROKER
  if (wanted === 'process') return { kind: 'process', why: 'KAFKA_BROKER says so' }
  if (wanted !== undefined && wanted !== 'container')
    throw new KafkaUnavailable(`KAFKA_BROKER must be container or process, not ${wanted}`)
  const container = await findContainer(env.KAFKA_IMAGE)
  if (container.kind === 'process' && wanted === 'container')
    throw new KafkaUnavailable(`KAFKA_BROKER=container, but ${container.why}`)
  return container
}

async function findContainer(named: string | undefined): Promise<Choice> {
  // Not before it is needed: it takes a second to load.
  const { engine, hasImage, pullImage } = require('./engine') as typeof import('./engine')
  const version = await engine().then(
    client => client.info.containerRuntime.serverVersion,
    () => undefined,
  )
  if (version === undefined) return { kind: 'process', why: `no container engine answers${atHost()}` }
  const answers = `engine ${version} answers`
  const image = named ?? officialImage
  if (await hasImage(image)) return { kind: 'container', image, why: `${answers} and has ${image}` }
  const refusal = await pullImage(image).then(
    () => undefined,
    error => String(error.reason ?? error.message ?? error),
  )
  if (refusal === undefined) return { kind: 'container', image, why: `${answers} and has pulled ${image}` }
  if (named === undefined && (await hasImage(standIn)))
    return { kind: 'container', image: standIn, why: `${answers}, cannot pull ${image}, and has ${standIn}` }
  return { kind: 'process', why: `${answers}, but has no ${image} and cannot pull it: ${refusal}` }
}

/** An image of Node for the consumers in containers: NODE_IMAGE, the official one, or its stand-in; or none. */
export async function chooseNodeImage(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const { hasImage, pullImage } = require('./engine') as typeof import('./engine')
  for (const image of env.NODE_IMAGE ? [env.NODE_IMAGE] : nodeImages) {
    if (await hasImage(image)) return image
    const pulled = await pullImage(image).then(
      () => true,
      () => false,
    )
    if (pulled) return image
  }
  return undefined
}

const atHost = () => (process.env.DOCKER_HOST ? ` at DOCKER_HOST=${process.env.DOCKER_HOST}` : '')
