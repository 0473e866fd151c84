/** The factories as kafkajs and NestJS take them, by type and at run time. */
import { describe, expect, test } from '@jest/globals'
import { type ConsumerConfig, PartitionAssigners, type PartitionAssigner as TheirAssigner } from 'kafkajs'
import pino from 'pino'
import type { Assigner, PartitionAssigner } from './assigner'
import { rangeAssignor, roundRobinAssignor, stickyAssignor } from './factories'
import type { AssignorOptions } from './options'
import { FakeKafka } from './testing/fake-kafka'
import { rebalance, ScriptedConsumer } from './testing/scripted-consumer'

test.each([
  ['sticky', stickyAssignor],
  ['range', rangeAssignor],
  ['roundrobin', roundRobinAssignor],
])('%s joins under Kafka’s name and plans by its rules', async (name, factory) => {
  const kafka = new FakeKafka({ t0: 3, t1: 3 })
  const members = await Promise.all(
    ['a', 'b'].map(clientId =>
      ScriptedConsumer.start(kafka, { clientId, topics: ['t0', 't1'], assigners: [factory()] }),
    ),
  )
  await rebalance(...members)
  expect(kafka.group('group').protocol).toBe(name)
  expect(members[0]!.assigners[0]).toMatchObject({ name, version: 3 })
  const sizes = members.map(each => each.assigned.length)
  expect(sizes).toEqual(name === 'range' ? [4, 2] : [3, 3])
})

test('a factory that is put into the list without being called works like called without options', async () => {
  const kafka = new FakeKafka({ T: 2 })
  for (const [i, uncalled] of [stickyAssignor, rangeAssignor, roundRobinAssignor].entries()) {
    const assigners: PartitionAssigner[] = [uncalled]
    const a = await ScriptedConsumer.start(kafka, { clientId: 'a', groupId: `group-${i}`, topics: ['T'], assigners })
    await rebalance(a)
    expect(a.assigned).toEqual(['T-0', 'T-1'])
  }
})

/** The parts of NestJS' own, older copy of kafkajs' types that a partition assigner meets. */
declare namespace Nest {
  interface Broker {
    isConnected(): boolean
    connect(): Promise<void>
    apiVersions(): Promise<Record<number, { minVersion: number; maxVersion: number }>>
    metadata(topics: string[]): Promise<{ brokers: { nodeId: number; rack?: string }[] }>
  }
  interface Cluster {
    getNodeIds(): number[]
    isConnected(): boolean
    refreshMetadata(): Promise<void>
    findBroker(node: { nodeId: string }): Promise<Broker>
    findTopicPartitionMetadata(topic: string): { partitionId: number; leader: number }[]
  }
  interface Logger {
    info: (message: string, extra?: object) => void
    error: (message: string, extra?: object) => void
    warn: (message: string, extra?: object) => void
    debug: (message: string, extra?: object) => void
    namespace: (namespace: string, level?: 0 | 1 | 2 | 4 | 5) => Logger
    setLogLevel: (level: 0 | 1 | 2 | 4 | 5) => void
  }
  type PartitionAssigner = (config: { cluster: Cluster; groupId: string; logger: Logger }) => {
    name: string
    version: number
    assign(group: {
      members: { memberId: string; memberMetadata: Buffer }[]
      topics: string[]
    }): Promise<{ memberId: string; memberAssignment: Buffer }[]>
    protocol(subscription: { topics: string[] }): { name: string; metadata: Buffer }
  }
}

describe('types (checked by tsc)', () => {
  const called = [stickyAssignor(), rangeAssignor({}), roundRobinAssignor({ rackId: undefined })]

  test('fit kafkajs’ own, beside its round robin, and NestJS’ copy', () => {
    const config: ConsumerConfig = {
      groupId: 'g',
      partitionAssigners: [...called, stickyAssignor, PartitionAssigners.roundRobin],
    }
    const theirs: TheirAssigner[] = [...called, stickyAssignor]
    const nest: Nest.PartitionAssigner[] = [...called, stickyAssignor]
    expect([config.partitionAssigners, theirs, nest].map(list => list?.length)).toEqual([5, 4, 4])
  })

  test('of what a factory returns are those of the call that made it', () => {
    const create: ReturnType<typeof stickyAssignor> = called[0]!
    const assigner: (config: Parameters<PartitionAssigner>[0]) => Assigner = create
    expect(assigner).toBe(create)
  })

  test('take pino and loggers in its shape, and refuse what the factories refuse', () => {
    const good: AssignorOptions[] = [{ logger: pino({ enabled: false }) }, { logger: undefined, onRebalance() {} }]
    expect(good).toHaveLength(2)
    // @ts-expect-error kafkajs' and the console's order of arguments is another
    const wrong: AssignorOptions = { logger: { info: (_: string) => {}, warn: (_: string) => {}, error() {} } }
    expect(wrong).toBeDefined()
    // @ts-expect-error no such option
    expect(() => stickyAssignor({ onRebalanced() {} })).toThrow()
    // @ts-expect-error a string
    expect(() => stickyAssignor({ rackId: 1 })).toThrow()
  })
})
