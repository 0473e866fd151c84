'use strict'
// The shortest use: one line more than a plain kafkajs consumer. BROKERS=host:port node examples/minimal.js
const { Kafka } = require('kafkajs')
const { stickyAssignor } = require('kafkajs-sticky-assignor')

const kafka = new Kafka({ brokers: (process.env.BROKERS ?? '127.0.0.1:9092').split(',') })
const consumer = kafka.consumer({ groupId: 'minimal', partitionAssigners: [stickyAssignor()] })

async function main() {
  await consumer.connect()
  await consumer.subscribe({ topics: ['orders'], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => console.log(topic, partition, String(message.value)),
  })
}

// Leave the group: the others take over at once instead of after the session timeout.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => consumer.disconnect())

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
