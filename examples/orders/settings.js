'use strict'
// What the programs of this folder share. Everything is set by environment variables.
const { hostname } = require('node:os')
const { Kafka, logLevel } = require('kafkajs')
const pino = require('pino')
const { createPinoLogCreator } = require('kafkajs-sticky-assignor')

const env = process.env
const name = env.NAME ?? hostname()
const logger = pino({ level: env.LOG_LEVEL ?? 'info', base: { instance: name } })

exports.name = name
exports.logger = logger
exports.topic = env.TOPIC ?? 'orders'
exports.groupId = env.GROUP ?? 'orders-service'

exports.kafka = new Kafka({
  clientId: name,
  brokers: (env.BROKERS ?? '127.0.0.1:9092').split(','),
  // kafkajs' own lines go to pino too: its warnings only, since the assignor says what a rebalance did.
  logLevel: logLevel.WARN,
  logCreator: createPinoLogCreator(logger),
  // With more retries than this a client stays with a dead broker; with these it gives up, restarts and looks anew.
  retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1000 },
})

/** Runs `stop` once when the process is asked to end, and when it has failed. */
exports.untilAskedToEnd = async (start, stop) => {
  const end = async () => {
    await stop()
    process.exit()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, end)
  try {
    await start()
  } catch (error) {
    logger.error({ err: error }, 'cannot go on')
    process.exitCode = 1
    await end()
  }
}
