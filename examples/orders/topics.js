'use strict'
// Creates the topic unless it is there, and ends.
const { kafka, logger, topic, untilAskedToEnd } = require('./settings')

const admin = kafka.admin()
const numPartitions = Number(process.env.PARTITIONS ?? 12)

untilAskedToEnd(
  async () => {
    await admin.connect()
    const created = await admin.createTopics({ topics: [{ topic, numPartitions }] })
    logger.info({ topic, partitions: numPartitions }, created ? 'topic created' : 'topic was there')
    await admin.disconnect()
  },
  () => admin.disconnect(),
)
