'use strict'
// A process that holds kafkajs consumers and does what its parent says over IPC; see member.ts for the commands.
// It uses the package as built, by its name, as an application would.
const { createHostAssigners } = require('./member-assigners.cjs')

const options = JSON.parse(process.argv[2])
const { Kafka, logLevel } = require(options.kafkajs ?? 'kafkajs')
const assigners = createHostAssigners(options)

const now = () => Number(process.hrtime.bigint() / 1000n) / 1000
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

/** Resolves when the message has left this process, so that a kill -9 right after loses no report. */
const tell = message => new Promise(resolve => process.send(message, () => resolve()))

const consumers = new Map()
/** kafkajs' own, by consumer. */
const clusters = new Map()
let sharedKafka

const commands = {
  async create({ consumer: name, config }) {
    const report = (type, extra) => tell({ consumer: name, type, at: now(), ...extra })
    const kafka =
      (config.sharedKafka && sharedKafka) ||
      new Kafka({
        clientId: config.clientId,
        brokers: config.brokers,
        connectionTimeout: 1000,
        requestTimeout: 5000,
        // More retries than these and kafkajs stays with a dead broker; with them it crashes, restarts and looks anew.
        retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1000 },
        logLevel: logLevel[config.logLevel ?? 'INFO'],
        logCreator:
          () =>
          ({ namespace, label, log }) => {
            const { timestamp, message, ...fields } = log
            report('log', { level: label, namespace, message, fields: plain(fields) })
          },
        ...config.kafka,
      })
    if (config.sharedKafka) sharedKafka = kafka
    const consumer = kafka.consumer({
      groupId: config.groupId,
      sessionTimeout: 6000,
      heartbeatInterval: 500,
      rebalanceTimeout: 20_000,
      // kafkajs heartbeats between fetches: an idle consumer with the default of 5 s is late at every rebalance.
      maxWaitTimeInMs: 250,
      metadataMaxAge: 300_000,
      ...config.consumer,
      partitionAssigners: config.assigners.map(each => {
        const create = assigners.create(each, report)
        return given => {
          clusters.set(name, given.cluster)
          return create(given)
        }
      }),
    })
    const { events } = consumer
    consumer.on(events.GROUP_JOIN, ({ payload }) =>
      report('join', {
        memberId: payload.memberId,
        leader: payload.isLeader,
        protocol: payload.groupProtocol,
        assignment: payload.memberAssignment,
      }),
    )
    if (config.listenersThrow) {
      // Not at the first join: that one is kafkajs' own event, and ends a stock consumer.
      let joins = 0
      consumer.on(events.GROUP_JOIN, () => {
        if (++joins > 1) throw new Error('a listener of the user')
      })
    }
    if (config.reportHeartbeats)
      consumer.on(events.HEARTBEAT, ({ payload }) =>
        report('heartbeat', { memberId: payload.memberId, generation: payload.groupGenerationId }),
      )
    consumer.on(events.REBALANCING, () => report('rebalancing'))
    consumer.on(events.COMMIT_OFFSETS, ({ payload }) =>
      report('commit', { generation: payload.groupGenerationId, topics: payload.topics }),
    )
    consumer.on(events.CRASH, ({ payload }) =>
      report('crash', { error: String(payload.error?.stack ?? payload.error), restart: payload.restart }),
    )
    consumers.set(name, { consumer, config, report, delayMs: config.handlerDelayMs ?? 0 })
  },

  async run({ consumer: name }) {
    const state = consumers.get(name)
    const { consumer, config } = state
    if (!state.connected) {
      await consumer.connect()
      state.connected = true
      const topics = config.topicPattern ? [new RegExp(config.topicPattern)] : config.topics
      await consumer.subscribe({ topics, fromBeginning: config.fromBeginning ?? true })
    }
    await consumer.run({
      partitionsConsumedConcurrently: config.concurrency ?? 1,
      ...(config.mode === 'eachBatch' ? { eachBatch: eachBatch(state) } : { eachMessage: eachMessage(state) }),
      ...config.run,
    })
  },

  stop: ({ consumer }) => consumers.get(consumer).consumer.stop(),
  disconnect: ({ consumer }) => consumers.get(consumer).consumer.disconnect(),
  async delay({ consumer, ms }) {
    consumers.get(consumer).delayMs = ms
  },
  /** One partition's handler takes so long, again and again; the others go on as they were. */
  async slowPartition({ consumer, slow }) {
    consumers.get(consumer).slow = slow && { ...slow, last: 0 }
  },
  /** So many calls of the handler throw before they handle anything. */
  async breakHandler({ consumer, times }) {
    consumers.get(consumer).failures = times
  },
  /** From now on the handler throws what kafkajs does not restart on. */
  async breakHandlerForGood({ consumer }) {
    consumers.get(consumer).fatal = true
  },
  /** What keeps this process alive, its memory after a collection, and who listens to a consumer and its connections. */
  async resources({ consumer }) {
    const kinds = {}
    for (const kind of process.getActiveResourcesInfo()) kinds[kind] = (kinds[kind] ?? 0) + 1
    global.gc?.()
    return { kinds, heapMb: process.memoryUsage().heapUsed / 2 ** 20, listeners: listenersOf(clusters.get(consumer)) }
  },
  async commit({ consumer, offsets }) {
    await consumers.get(consumer).consumer.commitOffsets(offsets)
  },
  async pauseTopics({ consumer, topics }) {
    consumers.get(consumer).consumer.pause(topics)
  },
  async resumeTopics({ consumer, topics }) {
    consumers.get(consumer).consumer.resume(topics)
  },
  async seek({ consumer, topic, partition, offset }) {
    consumers.get(consumer).consumer.seek({ topic, partition, offset })
  },
}

function listenersOf({ brokerPool }) {
  const connections = Object.values(brokerPool.brokers).flatMap(broker => broker.connectionPool.pool)
  const emitters = new Set(
    connections.flatMap(({ socket, requestQueue }) => [socket, requestQueue.instrumentationEmitter.emitter]),
  )
  let count = 0
  for (const emitter of emitters) for (const event of emitter?.eventNames() ?? []) count += emitter.listenerCount(event)
  return count
}

async function handle(state, topic, partition, offset) {
  const { report } = state
  const delayMs = delayOf(state, topic, partition)
  if (state.fatal) throw new TypeError('the handler fails for good')
  if (state.failures > 0) {
    state.failures--
    throw new Error('the handler fails')
  }
  await report('handling', { topic, partition, offset: Number(offset) })
  if (delayMs > 0) await sleep(delayMs)
  await report('handled', { topic, partition, offset: Number(offset) })
}

function delayOf({ delayMs, slow }, topic, partition) {
  if (slow?.topic !== topic || slow.partition !== partition || now() - slow.last < slow.everyMs) return delayMs
  slow.last = now()
  return slow.ms
}

const eachMessage =
  state =>
  async ({ topic, partition, message, heartbeat }) => {
    await handle(state, topic, partition, message.offset)
    if (state.config.manualCommit)
      await state.consumer.commitOffsets([{ topic, partition, offset: String(BigInt(message.offset) + 1n) }])
    if (state.config.heartbeatInHandler) await heartbeat()
  }

const eachBatch =
  state =>
  async ({ batch, resolveOffset, heartbeat, isRunning, isStale, commitOffsetsIfNecessary }) => {
    // kafkajs resolves the whole batch when this returns, unless it is told not to: what was left out would be skipped.
    const mayEndEarly = state.config.run?.eachBatchAutoResolve === false
    for (const message of batch.messages) {
      if (mayEndEarly && (!isRunning() || isStale())) break
      const { topic, partition } = batch
      const offset = String(BigInt(message.offset) + 1n)
      await handle(state, topic, partition, message.offset)
      resolveOffset(message.offset)
      await commitOffsetsIfNecessary(
        state.config.manualCommit ? { topics: [{ topic, partitions: [{ partition, offset }] }] } : undefined,
      )
      await heartbeat()
    }
  }

/** What IPC's JSON can carry; a logger of kafkajs is given errors and buffers too. */
function plain(value) {
  return JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each)))
}

process.on('message', async ({ id, command, ...args }) => {
  try {
    await tell({ reply: id, value: await commands[command](args) })
  } catch (error) {
    await tell({ reply: id, error: String(error?.stack ?? error) })
  }
})

// As a container's process does: leave the group, then end.
process.on('SIGTERM', async () => {
  await Promise.all([...consumers.values()].map(({ consumer }) => consumer.disconnect()))
  process.exit(0)
})
process.on('disconnect', () => process.exit(1))
