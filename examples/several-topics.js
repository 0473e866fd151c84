'use strict'
// Members of one group that read different topics: TOPICS=orders,payments node examples/several-topics.js
// Each topic is shared among those who read it, whoever leads the group. kafkajs' round robin would give partitions to
// members that do not read them, and those would be consumed by nobody.
const { Kafka } = require('kafkajs')
const { stickyAssignor } = require('kafkajs-sticky-assignor')

const topics = (process.env.TOPICS ?? 'orders').split(',')
const kafka = new Kafka({ brokers: (process.env.BROKERS ?? '127.0.0.1:9092').split(',') })
const consumer = kafka.consumer({
  groupId: 'several-topics',
  partitionAssigners: [
    stickyAssignor({ onRebalance: ({ assigned }) => console.log('mine now', JSON.stringify(assigned)) }),
  ],
})

async function main() {
  await consumer.connect()
  await consumer.subscribe({ topics, fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => console.log(topic, partition, String(message.value)),
  })
}

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => consumer.disconnect())

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
