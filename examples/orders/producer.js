'use strict'
// Writes orders at a steady rate, to each partition in turn.
const { setTimeout: sleep } = require('node:timers/promises')
const { kafka, logger, topic, untilAskedToEnd } = require('./settings')

// Idempotent: a record that is sent again after a lost answer is not stored twice.
const newProducer = () => kafka.producer({ idempotent: true, maxInFlightRequests: 1 })
const pauseMs = 1000 / Number(process.env.PER_SECOND ?? 20)
const partitions = Number(process.env.PARTITIONS ?? 12)

let producer = newProducer()
let ending = false
let loop

async function produce() {
  for (let order = 0; !ending; ) {
    try {
      await send(order)
      order++
    } catch (error) {
      // A broker was away for longer than the retries. Whether the order arrived is not known, and an idempotent
      // producer cannot go on after that: a new one sends it again.
      logger.warn({ err: error, order }, 'not acknowledged, sending it again')
      await producer.disconnect().catch(() => {})
      producer = newProducer()
      await producer.connect().catch(() => {})
    }
    await sleep(pauseMs)
  }
}

async function send(order) {
  const messages = [{ partition: order % partitions, key: `customer-${order % 100}`, value: JSON.stringify({ order }) }]
  const [{ partition, baseOffset }] = await producer.send({ topic, messages })
  logger.debug({ event: 'produced', topic, partition, offset: Number(baseOffset) }, 'produced')
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
