'use strict'
// One instance of a service that handles orders. ASSIGNOR chooses how the group shares its partitions; the lines with
// "event":"rebalance" and "event":"assignment" say what each rebalance did.
const { setTimeout: sleep } = require('node:timers/promises')
const { PartitionAssigners } = require('kafkajs')
const assignors = require('kafkajs-sticky-assignor')
const { serveMetrics } = require('./metrics')
const { groupId, kafka, logger, topic, untilAskedToEnd } = require('./settings')

const choices = {
  sticky: assignors.stickyAssignor,
  'cooperative-sticky': assignors.cooperativeStickyAssignor,
  range: assignors.rangeAssignor,
  roundrobin: assignors.roundRobinAssignor,
}
const { ASSIGNOR = 'sticky', HANDLER_MS = '5' } = process.env

function assigner() {
  if (ASSIGNOR === 'kafkajs') return PartitionAssigners.roundRobin
  if (!choices[ASSIGNOR]) throw new Error(`ASSIGNOR must be one of ${Object.keys(choices).join(', ')}, kafkajs`)
  return choices[ASSIGNOR]({ logger, metrics: serveMetrics(process.env.METRICS_PORT) })
}

const consumer = kafka.consumer({
  groupId,
  partitionAssigners: [assigner()],
  sessionTimeout: Number(process.env.SESSION_MS ?? 6000),
  heartbeatInterval: 500,
  // kafkajs sends heartbeats between fetches: an idle consumer hears of a rebalance after this time at the latest.
  maxWaitTimeInMs: 500,
})

untilAskedToEnd(
  async () => {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await consumer.run({
      eachMessage: async ({ topic, partition, message }) => {
        await sleep(Number(HANDLER_MS))
        logger.debug({ event: 'handled', topic, partition, offset: Number(message.offset) }, 'handled')
      },
    })
  },
  () => consumer.disconnect(),
)
