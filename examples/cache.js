'use strict'
// What stickiness is for: state per partition. Each order needs its customer's profile, which is slow to load and cached
// as long as the partition is ours. Start several, stop some: partitions that stay keep their cache.
//
// Two consumers read the same orders in two groups, one with the sticky assignor and one with kafkajs' round robin, so
// that their hit rates stand side by side.
const { setTimeout: sleep } = require('node:timers/promises')
const { Kafka, PartitionAssigners, logLevel } = require('kafkajs')
const { stickyAssignor } = require('kafkajs-sticky-assignor')

const brokers = (process.env.BROKERS ?? '127.0.0.1:9092').split(',')
const loadMs = Number(process.env.LOAD_MS ?? 5)

class Service {
  hits = 0
  orders = 0
  caches = new Map()

  constructor(name, assigner) {
    // An instance of Kafka each: kafkajs shares some state among the consumers of one.
    const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
    this.consumer = kafka.consumer({ groupId: `cache-${name}`, partitionAssigners: [assigner], maxWaitTimeInMs: 500 })
    // After each rebalance only the caches of our partitions are of use. (The sticky assignor's own callback
    // onRebalance tells what was given up; this event works with every assigner.)
    this.consumer.on(this.consumer.events.GROUP_JOIN, ({ payload }) => {
      const mine = new Set(payload.memberAssignment.orders ?? [])
      for (const partition of this.caches.keys()) if (!mine.has(partition)) this.caches.delete(partition)
    })
  }

  async run() {
    await this.consumer.connect()
    await this.consumer.subscribe({ topics: ['orders'], fromBeginning: true })
    await this.consumer.run({ eachMessage: ({ partition, message }) => this.handle(partition, String(message.key)) })
  }

  async handle(partition, customer) {
    if (!this.caches.has(partition)) this.caches.set(partition, new Map())
    const cache = this.caches.get(partition)
    this.orders++
    if (cache.has(customer)) this.hits++
    else cache.set(customer, await loadProfile(customer))
  }
}

async function loadProfile(customer) {
  await sleep(loadMs)
  return { customer, tier: 'gold' }
}

const services = {
  sticky: new Service('sticky', stickyAssignor()),
  roundRobin: new Service('round-robin', PartitionAssigners.roundRobin),
}

const report = () =>
  console.log(
    JSON.stringify(
      Object.entries(services).map(([name, { hits, orders }]) => ({
        name,
        hits,
        orders,
        rate: Number((hits / orders).toFixed(3)),
      })),
    ),
  )
const timer = setInterval(report, 2000)

async function stop() {
  clearInterval(timer)
  await Promise.all(Object.values(services).map(({ consumer }) => consumer.disconnect()))
  report()
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop)

Promise.all(Object.values(services).map(service => service.run())).catch(async error => {
  console.error(error)
  process.exitCode = 1
  await stop()
})
