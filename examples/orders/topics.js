'use strict'
// Creates the topic unless it is there, waits until each partition has a leader, and ends.
const { setTimeout: sleep } = require('node:timers/promises')
const { kafka, logger, topic, untilAskedToEnd } = require('./settings')

const admin = kafka.admin()
const numPartitions = Number(process.env.PARTITIONS ?? 12)

async function hasLeaders() {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    return topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0))
  } catch (error) {
    logger.debug({ err: error }, 'no metadata of the topic yet')
    return false
  }
}

untilAskedToEnd(
  async () => {
    await admin.connect()
    // kafkajs' own wait for leaders fails where the broker has not heard of the topic yet.
    const created = await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions }] })
    const giveUpAt = Date.now() + 60_000
    while (!(await hasLeaders())) {
      if (Date.now() > giveUpAt) throw new Error(`the partitions of ${topic} have no leaders`)
      await sleep(100)
    }
    logger.info({ topic, partitions: numPartitions }, created ? 'topic created' : 'topic was there')
    await admin.disconnect()
  },
  () => admin.disconnect(),
)
