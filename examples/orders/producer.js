'use strict'
// Writes orders at a steady rate, to each partition in turn.
const { setTimeout: sleep } = require('node:timers/promises')
const { kafka, logger, topic, untilAskedToEnd } = require('./settings')

// Idempotent: a record that is sent again after a lost answer is not stored twice.
const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 })
const pauseMs = 1000 / Number(process.env.PER_SECOND ?? 20)
const partitions = Number(process.env.PARTITIONS ?? 12)

let ending = false
let loop

async function produce() {
  for (let order = 0; !ending; order++) {
    const messages = [
      { partition: order % partitions, key: `customer-${order % 100}`, value: JSON.stringify({ order }) },
    ]
    const [{ partition, baseOffset }] = await producer.send({ topic, messages })
    logger.debug({ event: 'produced', topic, partition, offset: Number(baseOffset) }, 'produced')
    await sleep(pauseMs)
  }
}

untilAskedToEnd(
  async () => {
    await producer.connect()
    loop = produce()
    await loop
  },
  async () => {
    ending = true
    await loop?.catch(() => {})
    await producer.disconnect()
  },
)
