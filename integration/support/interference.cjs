'use strict'
// The package with a fault injected, for members that are told to load this instead (HostOptions.package). The fault
// is named in the assignor's options as `interfere` and works from outside: on the brokers and connections that
// kafkajs builds for the consumer.
const { PartitionAssigners } = require('kafkajs')
const real = require('kafkajs-sticky-assignor')

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

/** Changes methods of every broker that the consumer's cluster makes. */
function changeBrokers(cluster, change) {
  const { brokerPool } = cluster
  const { createBroker } = brokerPool
  brokerPool.createBroker = options => {
    const broker = createBroker.call(brokerPool, options)
    for (const [name, wrap] of Object.entries(change)) {
      const original = broker[name]
      // The package calls them on a view of the broker.
      broker[name] = function (request) {
        return wrap(passed => original.call(this, passed), request)
      }
    }
    return broker
  }
}

/** Changes every pool of connections. */
function changePools(cluster, change) {
  const { connectionPoolBuilder } = cluster
  const { build } = connectionPoolBuilder
  connectionPoolBuilder.build = async destination => {
    const pool = await build(destination)
    change(pool)
    return pool
  }
}

const isPlanFor = ({ groupAssignment }, members) => groupAssignment.length >= members

const faults = {
  /** The leader takes its time between JoinGroup and SyncGroup, once there are so many members. */
  slowLeader: (cluster, { members, ms }) =>
    changeBrokers(cluster, {
      async syncGroup(send, request) {
        if (isPlanFor(request, members)) await sleep(ms)
        return send(request)
      },
    }),
  /** The leader dies between JoinGroup and SyncGroup, once there are so many members. */
  leaderDies: (cluster, { members }) =>
    changeBrokers(cluster, {
      syncGroup(send, request) {
        if (isPlanFor(request, members)) process.kill(process.pid, 'SIGKILL')
        return send(request)
      },
    }),
  /** The member dies when it is about to join for the nth time. */
  diesAtJoin: (cluster, { nth }) => {
    let joins = 0
    changeBrokers(cluster, {
      joinGroup(send, request) {
        if (++joins === nth) process.kill(process.pid, 'SIGKILL')
        return send(request)
      },
    })
  },
  /** One heartbeat, after so many, carries a generation of the past. */
  illegalGeneration: (cluster, { after }) => {
    let beats = 0
    changeBrokers(cluster, {
      heartbeat: (send, request) =>
        send(++beats === after ? { ...request, groupGenerationId: request.groupGenerationId - 1 } : request),
    })
  },
  /** Each commit takes its time on the way to the coordinator. */
  slowCommits: (cluster, { ms }) =>
    changeBrokers(cluster, {
      async offsetCommit(send, request) {
        await sleep(ms)
        return send(request)
      },
    }),
  /** kafkajs' event emitter cannot be found. */
  hideEmitter: cluster =>
    changePools(cluster, ({ pool }) => {
      for (const { requestQueue } of pool) requestQueue.instrumentationEmitter = null
    }),
  /** GROUP_JOIN carries copies of kafkajs' arrays. */
  copyArrays: cluster => {
    const changed = new Set()
    changePools(cluster, ({ pool }) => {
      const emitter = pool[0].requestQueue.instrumentationEmitter
      if (changed.has(emitter)) return
      changed.add(emitter)
      const copied = (name, payload) =>
        name === 'consumer.group_join'
          ? { ...payload, memberAssignment: structuredClone(payload.memberAssignment) }
          : payload
      let { emit } = emitter
      // Before whatever the package puts there.
      Object.defineProperty(emitter, 'emit', {
        get: () => {
          const next = emit
          return (name, payload) => next.call(emitter, name, copied(name, payload))
        },
        set: next => {
          emit = next
        },
      })
    })
  },
  /** What connections are built with cannot be found. */
  hideBuilder: cluster => {
    cluster.connectionPoolBuilder = Object.create(cluster.connectionPoolBuilder, { build: { value: undefined } })
  },
}

const interfering =
  factory =>
  ({ interfere = {}, ...options } = {}) => {
    const create = factory(options)
    return config => {
      for (const [fault, settings] of Object.entries(interfere)) faults[fault](config.cluster, settings)
      return create(config)
    }
  }

module.exports = {
  ...real,
  stickyAssignor: interfering(real.stickyAssignor),
  cooperativeStickyAssignor: interfering(real.cooperativeStickyAssignor),
  kafkajsRoundRobin: interfering(() => PartitionAssigners.roundRobin),
}
