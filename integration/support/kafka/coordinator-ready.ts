import { Kafka, logLevel } from 'kafkajs'
import { until } from '../wait'

/** Names that fall on most partitions of __consumer_offsets. */
const groups = Array.from({ length: 10 }, (_, i) => `nobody-${i}`)

/**
 * Waits until groups have a coordinator: a new cluster makes __consumer_offsets when the first client asks, and on a
 * busy machine kafkajs' consumers have asked five times and given up for good before it is there.
 */
export async function coordinatorReady(brokers: string[]): Promise<void> {
  const client = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING, retry: { retries: 0 } })
  const admin = client.admin()
  try {
    await until('that groups have a coordinator', async () => {
      await admin.connect()
      await admin.describeGroups(groups)
      return true
    })
  } finally {
    await admin.disconnect()
  }
}
