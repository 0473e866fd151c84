import { expect, test } from '@jest/globals'
import { KafkaJSConnectionError } from 'kafkajs'
import { interceptCluster } from './intercept'
import type { Cluster } from './internals'

const { KafkaJSGroupCoordinatorNotFound, KafkaJSNonRetriableError } = require('kafkajs/src/errors') as {
  KafkaJSGroupCoordinatorNotFound: new (message: string) => Error
  KafkaJSNonRetriableError: new (error: Error, options?: { cause: Error }) => Error
}

/** How kafkajs' consumer decides whether it starts again after a crash. */
function restartsOn(error: unknown): boolean {
  const { cause, retriable } = error as { cause?: unknown; retriable?: boolean }
  return cause ? restartsOn(cause) : retriable === true
}

async function errorOf(thrown: Error): Promise<Error> {
  const nothing = async () => {}
  const cluster = {
    findBroker: nothing,
    findGroupCoordinator: () => Promise.reject(thrown),
    refreshMetadata: nothing,
    refreshMetadataIfNecessary: nothing,
    disconnect: nothing,
  } as unknown as Cluster
  interceptCluster(cluster)
  return (cluster.findGroupCoordinator({ groupId: 'g' }) as Promise<unknown>).then(
    () => {
      throw new Error('found')
    },
    error => error as Error,
  )
}

test('a consumer that finds no broker to ask for its coordinator starts again instead of ending for good', async () => {
  const notFound = new KafkaJSGroupCoordinatorNotFound('Failed to find group coordinator')
  for (const thrown of [notFound, new KafkaJSNonRetriableError(notFound, { cause: notFound })]) {
    expect(restartsOn(thrown)).toBe(false)
    const error = await errorOf(thrown)
    expect(error.message).toBe('Failed to find group coordinator')
    expect(restartsOn(error)).toBe(true)
  }
})

test('other errors of the search for a coordinator stay what they are', async () => {
  for (const thrown of [new KafkaJSNonRetriableError(new Error('not authorized')), new KafkaJSConnectionError('reset')])
    expect(await errorOf(thrown)).toBe(thrown)
})
