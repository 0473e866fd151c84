import { expect, test } from '@jest/globals'
import { SpinGuard } from './spin-guard'

/** kafkajs' own, with fetches that end at once: what a consumer that has stopped makes of them. */
const createFetchManager = require('kafkajs/src/consumer/fetchManager') as (options: object) => {
  start(): Promise<void>
}

const logger = { namespace: () => logger, debug: () => {} }

test('fetchers that spin for ever are ended, with an error after which kafkajs looks again', async () => {
  const guard = new SpinGuard()
  const manager = createFetchManager({
    logger,
    getNodeIds: () => {
      guard.check(1)
      return [1]
    },
    fetch: async () => [],
    handler: async () => {},
  })
  await expect(manager.start()).rejects.toMatchObject({ name: 'KafkaJSError', retriable: true })
})

test('fetches that wait for something are not counted together', async () => {
  const guard = new SpinGuard()
  for (let i = 0; i < 3000; i++) {
    guard.check(1)
    if (i % 100 === 0) await new Promise(resolve => setImmediate(resolve))
  }
})

test('all fetchers of a large cluster may begin at once', async () => {
  const guard = new SpinGuard()
  const brokers = 800
  for (let i = 0; i < 2 * brokers; i++) guard.check(brokers)
})
