'use strict'
// Everything in one pino stream: the lines of the assignor, and kafkajs' own. BROKERS=host:port node examples/pino.js
const { Kafka } = require('kafkajs')
const pino = require('pino')
const { createPinoLogCreator, stickyAssignor } = require('kafkajs-sticky-assignor')

const logger = pino({ base: { service: 'orders' } })
const kafka = new Kafka({
  brokers: (process.env.BROKERS ?? '127.0.0.1:9092').split(','),
  logCreator: createPinoLogCreator(logger.child({ from: 'kafkajs' })),
})
const consumer = kafka.consumer({
  groupId: 'with-pino',
  partitionAssigners: [stickyAssignor({ logger: logger.child({ from: 'assignor' }) })],
})

async function main() {
  await consumer.connect()
  await consumer.subscribe({ topics: ['orders'], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => {
      logger.info({ topic, partition, offset: message.offset }, 'order')
    },
  })
}

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => consumer.disconnect())

main().catch(error => {
  logger.fatal(error)
  process.exitCode = 1
})
