'use strict'
// The assigners that a member process can be told to use, by name.

const callbacks = ['onRebalance', 'onPartitionsRevoked', 'onPartitionsAssigned', 'onPartitionsLost']
const ofThePackage = {
  sticky: 'stickyAssignor',
  'cooperative-sticky': 'cooperativeStickyAssignor',
  range: 'rangeAssignor',
  roundrobin: 'roundRobinAssignor',
}

/** @param options of the process: `kafkajs` and `package` name the copies to load. */
exports.createHostAssigners = options => {
  const { AssignerProtocol, PartitionAssigners } = require(options.kafkajs ?? 'kafkajs')
  const { MemberMetadata, MemberAssignment } = AssignerProtocol

  /** One that a user of kafkajs may have written: topics by name, partitions dealt in turn. */
  const custom = ({ cluster }) => ({
    name: 'custom',
    version: 1,
    protocol: ({ topics }) => ({
      name: 'custom',
      metadata: MemberMetadata.encode({ version: 0, topics, userData: Buffer.alloc(0) }),
    }),
    async assign({ members, topics }) {
      const ids = members.map(({ memberId }) => memberId).sort()
      const plan = new Map(ids.map(id => [id, {}]))
      let turn = 0
      for (const topic of topics)
        for (const { partitionId } of cluster.findTopicPartitionMetadata(topic)) {
          const mine = plan.get(ids[turn++ % ids.length])
          mine[topic] = [...(mine[topic] ?? []), partitionId]
        }
      return [...plan].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({ version: 0, assignment, userData: Buffer.alloc(0) }),
      }))
    },
  })

  /** A member whose subscription nobody can read, in the protocol that it is told to spoil. */
  const garbage = (protocol, hex) => () => ({
    name: protocol,
    version: 0,
    protocol: () => ({ name: protocol, metadata: Buffer.from(hex, 'hex') }),
    assign: async () => [],
  })

  return {
    /** @param each a name, or `{ name, options, observe }`: options of the assignor, callbacks to report. */
    create(each, report) {
      const {
        name,
        options: given = {},
        observe = [],
        delays = {},
        protocol,
        hex,
      } = typeof each === 'string' ? { name: each } : each
      if (name === 'kafkajs-roundrobin')
        return given.interfere ? require(options.package).kafkajsRoundRobin(given) : PartitionAssigners.roundRobin
      if (name === 'custom') return custom
      if (name === 'garbage') return garbage(protocol ?? 'sticky', hex ?? 'ffffff')
      const factory = require(options.package ?? 'kafkajs-sticky-assignor')[ofThePackage[name]]
      if (!factory) throw new Error(`no assigner ${name}`)
      const watched = {}
      for (const callback of observe) {
        if (!callbacks.includes(callback)) throw new Error(`no callback ${callback}`)
        watched[callback] = async (...args) => {
          await report('callback', { callback, phase: 'start', args: toPlain(args) })
          if (delays[callback]) await new Promise(resolve => setTimeout(resolve, delays[callback]))
          await report('callback', { callback, phase: 'end', args: [] })
        }
      }
      return factory({ ...given, ...watched })
    },
  }
}

/** Maps and sets as arrays of entries, for JSON. */
function toPlain(value) {
  if (value instanceof Map || value instanceof Set) return toPlain([...value])
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Error) return String(value.stack)
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? undefined : value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlain(each)]))
}
