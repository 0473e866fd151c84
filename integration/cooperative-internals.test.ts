/**
 * The cooperative assignor leans on internals of kafkajs. Where one is not there, or not as expected, it says so once
 * and goes on in a plainer way; and it leaves nothing behind in a process however often the group rebalances.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type BuildOptions, build } from 'esbuild'
import { cooperative, expectExact, linesOf, step, withFaults } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import type { Member } from './support/member'
import { root } from './support/root'
import { say, until } from './support/wait'

let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

const start = async (more: object = {}) => {
  group = await Group.start(kafka, { topics: { orders: 12 }, assigners: cooperative(), traffic: 300, ...more })
}

/** Members with a fault, while others join, die and stop. */
async function comeAndGo(fault: Record<string, unknown>): Promise<Member[]> {
  const faulty = { assigners: cooperative({ interfere: fault }) }
  const a = await group.addWith('a', faulty, withFaults)
  await group.settled()
  const b = await group.addWith('b', faulty, withFaults)
  await group.settled()
  expect(await step(group, () => group.add('c'))).toMatchObject({ moved: 4, bounced: [] })
  expect(await step(group, () => group.member('c').kill())).toMatchObject({ moved: 4, bounced: [] })
  expect(await step(group, () => b.stop())).toMatchObject({ moved: 6, bounced: [] })
  await expectExact(group)
  return [a, b]
}

const protocolsOf = (member: Member) => new Set(linesOf(member, 'assignment').map(({ fields }) => fields.protocol))

describe('an internal that is not there', () => {
  beforeEach(() => start())

  test('the event emitter: surfaced, and said once', async () => {
    for (const member of await comeAndGo({ hideEmitter: true })) {
      expect(linesOf(member, 'tier-surfaced')).toHaveLength(1)
      expect(linesOf(member, 'tier-surfaced')[0]).toMatchObject({ level: 'WARN', fields: { missing: /emitter/ } })
      expect(protocolsOf(member)).toEqual(new Set(['cooperative-surfaced']))
      expect(member.rebalancing).toEqual([])
      expect(member.crashes).toEqual([])
    }
  })

  test('the identity of the arrays: surfaced from the first gain on, and said once', async () => {
    const faulty = { assigners: cooperative({ interfere: { copyArrays: true } }) }
    const a = await group.addWith('a', faulty, withFaults)
    await group.settled()
    const b = await group.addWith('b', faulty, withFaults)
    await group.settled()
    // What b gets now kafkajs can only know from its arrays.
    expect(await step(group, () => a.stop())).toMatchObject({ moved: 6, bounced: [] })
    await until('that it is noticed', () => linesOf(b, 'tier-surfaced').length > 0)
    expect(await step(group, () => a.run())).toMatchObject({ moved: 6, bounced: [] })
    await expectExact(group)
    expect(group.ledger.duplicates()).toEqual([])
    expect(linesOf(b, 'tier-surfaced')).toHaveLength(1)
    expect(b.crashes).toEqual([])
  })

  test('what connections are built with: eager, and said once', async () => {
    for (const member of await comeAndGo({ hideBuilder: true })) {
      expect(linesOf(member, 'eager-instead')).toHaveLength(1)
      expect(protocolsOf(member)).toEqual(new Set(['eager']))
    }
  })

  test('insisting on in place: the consumer fails, and says what is missing', async () => {
    const assigners = cooperative({ tier: 'in-place', interfere: { hideEmitter: true } })
    const a = await group.addWith('a', { assigners }, withFaults)
    await until('that it has failed', () => a.crashes.length > 0)
    expect(a.crashes).toMatchObject([{ restart: false, error: /not found in kafkajs: .*emitter/ }])
  })
})

describe('bundled', () => {
  const plugin = join(root, 'dist/index.js')
  const bundles: [string, BuildOptions, string][] = [
    ['whole', {}, 'cooperative-in-place'],
    ['minified', { minify: true }, 'cooperative-in-place'],
    ['minified without this package', { minify: true, external: [plugin] }, 'cooperative-in-place'],
    [
      'with mangled names, without this package',
      { mangleProps: /^(connectionPool|requestQueue)$/, external: [plugin] },
      'eager',
    ],
  ]
  let directory: string
  let child: ChildProcess | undefined

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'bundle-'))
  })
  afterEach(() => {
    child?.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })

  /** One process with two members; prints what it handled, and ends by itself. */
  const program = `
    const { Kafka, logLevel } = require('kafkajs')
    const { cooperativeStickyAssignor } = require(${JSON.stringify(plugin)})
    const [brokers, groupId, topic] = JSON.parse(process.argv[2])
    const say = line => process.stdout.write(JSON.stringify(line) + '\\n')
    const kafka = new Kafka({ clientId: 'bundle', brokers, logLevel: logLevel.NOTHING })
    const log = level => fields => say({ level, ...fields })
    const logger = { info: log('info'), warn: log('warn'), error: log('error') }
    async function member(name) {
      const consumer = kafka.consumer({ groupId, partitionAssigners: [cooperativeStickyAssignor({ logger })] })
      await consumer.connect()
      await consumer.subscribe({ topic, fromBeginning: true })
      await consumer.run({ eachMessage: async ({ partition, message }) => say({ name, partition, offset: message.offset }) })
      return consumer
    }
    async function main() {
      const a = await member('a')
      const b = await member('b')
      await new Promise(resolve => process.stdin.once('data', resolve))
      process.stdin.destroy()
      await b.disconnect()
      await a.disconnect()
    }
    main()
  `

  test.each(bundles)('%s', async (name, options, protocol) => {
    const topic = `bundle-${bundles.findIndex(([each]) => each === name)}`
    group = await Group.start(kafka, { topics: { [topic]: 4 }, assigners: [], traffic: 100 })
    const outfile = join(directory, 'bundle.cjs')
    await build({
      stdin: { contents: program, resolveDir: root },
      bundle: true,
      platform: 'node',
      logLevel: 'error',
      outfile,
      ...options,
    })
    child = spawn(process.execPath, [outfile, JSON.stringify([kafka.brokers, group.groupId, topic])], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout!.on('data', text => {
      output += text
    })
    const ended = new Promise(resolve => child!.once('close', resolve))
    const lines = () =>
      output
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line))
    await until('that both handle records', () => ['a', 'b'].every(each => lines().some(line => line.name === each)))
    await group.producer.stop()
    const handled = () =>
      new Set(
        lines()
          .filter(line => line.name)
          .map(line => `${topic}-${line.partition}@${line.offset}`),
      )
    await until('that all is handled', () => handled().size >= group.ledger.produced)
    child.stdin!.write('end\n')
    // By itself: nothing of the package keeps a process alive whose consumers have disconnected.
    expect(await ended).toBe(0)
    expect(lines().filter(line => line.name)).toHaveLength(group.ledger.produced)
    expect(
      new Set(
        lines()
          .filter(line => line.event === 'assignment')
          .map(line => line.protocol),
      ),
    ).toEqual(new Set([protocol]))
  })
})

test('200 rebalances in one process: no more sockets, timers, listeners or memory than at the start', async () => {
  await start({ traffic: 60 })
  const [a] = await group.add('a')
  await group.settled()
  // Three generations each: a leave, and the two rounds of a join.
  const cycles = process.env.FULL ? 70 : 20
  const [visitor] = await group.add('b')
  await group.settled()
  const cycle = async () => {
    await visitor!.stop()
    await group.settled()
    visitor!.run()
    await group.settled()
  }
  for (let i = 0; i < 5; i++) await cycle()
  const before = await a!.resources()
  for (let i = 0; i < cycles; i++) await cycle()
  await group.settled()
  const after = await a!.resources()
  say(`${a!.joins.length} rebalances: ${JSON.stringify(before)} → ${JSON.stringify(after)}`)
  expect(after.kinds.TCPSocketWrap).toBe(before.kinds.TCPSocketWrap)
  expect(after.kinds.Timeout ?? 0).toBeLessThanOrEqual((before.kinds.Timeout ?? 0) + 3)
  expect(after.listeners).toBeLessThanOrEqual(before.listeners + 3)
  expect(after.heapMb).toBeLessThan(before.heapMb + 10)
  await expectExact(group)
  expect(group.ledger.duplicates()).toEqual([])
})
