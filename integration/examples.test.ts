/** The programs of `examples/`, as a reader would run them. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { completeOwnership, stableMembers } from './support/broker-view'
import { type RunningKafka, startKafka } from './support/kafka'
import { Program, parseRecord } from './support/program'
import { root } from './support/root'
import { createTopics } from './support/topics'
import { until } from './support/wait'

let kafka: RunningKafka
let admin: Admin
let producer: Program
const programs: Program[] = []

function start(name: string, file: string, env: Record<string, string> = {}): Program {
  const program = new Program(name, file, { BROKERS: kafka.brokers.join(','), ...env })
  programs.push(program)
  return program
}

beforeAll(async () => {
  kafka = await startKafka()
  admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  expect(await start('topics', 'orders/topics.js').exited).toBe(0)
  await createTopics(admin, { payments: 4 })
  producer = start('producer', 'orders/producer.js', { PER_SECOND: '100' })
})

afterEach(() => end(programs.filter(program => program !== producer)))
afterAll(async () => {
  await end(programs)
  await admin?.disconnect()
  await kafka?.remove()
})

const end = (which: Program[]) => Promise.all(which.map(program => program.end('SIGKILL')))

/** Waits until the group is stable with so many members and every partition of the topics has an owner. */
async function settled(groupId: string, size: number, topics = ['orders']): Promise<void> {
  let obstacle = ''
  await until(
    `that ${groupId} settles with ${size}`,
    async () => {
      const members = await stableMembers(admin, groupId, size)
      if (typeof members === 'string') obstacle = members
      else {
        const named = members.map(({ memberId, assignment }) => ({ name: memberId, assignment }))
        const owners = await completeOwnership(admin, topics, named)
        if (typeof owners !== 'string') return true
        obstacle = owners
      }
      return false
    },
    { explain: () => `${obstacle}\n${programs.flatMap(({ output }) => output.slice(-5)).join('\n')}` },
  )
}

const prints = (program: Program, text: RegExp) =>
  until(`that ${program.name} prints ${text}`, () => program.output.some(line => text.test(line)), {
    explain: () => program.output.slice(-10).join('\n'),
  })

test('minimal.js: two processes share the topic, and leave when they are asked to end', async () => {
  const both = [start('a', 'minimal.js'), start('b', 'minimal.js')]
  await settled('minimal', 2)
  for (const program of both) await prints(program, /^orders \d+ \{"order":\d+\}/)
  expect(await Promise.all(both.map(program => program.end('SIGTERM')))).toEqual([0, 0])
  const { groups } = await admin.describeGroups(['minimal'])
  expect(groups[0]!.state).toBe('Empty')
})

test('pino.js: the lines of the assignor and of kafkajs are pino records', async () => {
  const program = start('a', 'pino.js')
  await settled('with-pino', 1)
  await prints(program, /"from":"assignor".*"event":"rebalance".*"moved":12/)
  await prints(program, /"from":"kafkajs".*Consumer has joined the group/)
  expect(program.output.filter(line => parseRecord(line) === undefined)).toEqual([])
})

test('several-topics.js: members that read different topics of one group', async () => {
  const a = start('a', 'several-topics.js', { TOPICS: 'orders' })
  const b = start('b', 'several-topics.js', { TOPICS: 'payments' })
  const both = start('both', 'several-topics.js', { TOPICS: 'orders,payments' })
  await settled('several-topics', 3, ['orders', 'payments'])
  await prints(a, /mine now \{"orders":/)
  await prints(b, /mine now \{"payments":/)
  await prints(both, /mine now \{"orders":\[\d+(,\d+){5}\]/)
})

test('cache.js: kept partitions keep their cache, and the sticky group hits more often', async () => {
  const all = [start('a', 'cache.js'), start('b', 'cache.js')]
  const hits = (name: string) => {
    const reports = all.flatMap(({ output }) => output.slice(-1)).flatMap(line => JSON.parse(line))
    const mine = reports.filter(report => report.name === name)
    const sum = (field: 'hits' | 'orders') => mine.reduce((total, report) => total + report[field], 0)
    return { hits: sum('hits'), orders: sum('orders') }
  }
  const warm = async (size: number) => {
    for (const name of ['sticky', 'round-robin']) await settled(`cache-${name}`, size)
    const before = hits('sticky').orders
    // Every partition sees a customer again after 300 orders.
    await until('that the caches are warm', () => hits('sticky').orders > before + 600, {
      explain: () => String(before),
    })
  }
  await until('that both report', () => all.every(({ output }) => output.length > 0))
  await warm(2)
  for (const name of ['c', 'd']) {
    all.push(start(name, 'cache.js'))
    await until('that it reports', () => all.every(({ output }) => output.length > 0))
    await warm(all.length)
  }
  for (const program of all) expect(await program.end('SIGTERM')).toBe(0)
  const [sticky, roundRobin] = [hits('sticky'), hits('roundRobin')]
  expect(sticky.hits / sticky.orders).toBeGreaterThan(roundRobin.hits / roundRobin.orders)
})

test('nestjs: two microservices share the topic, and hand over when they are asked to end', async () => {
  const folder = join(root, 'examples/nestjs')
  if (!existsSync(join(folder, 'node_modules/@nestjs/core')))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const both = [start('a', 'nestjs/main.js'), start('b', 'nestjs/main.js')]
  await settled('nestjs-server', 2)
  for (const program of both) {
    await prints(program, /mine now \{"orders":\[\d+(,\d+){5}\]\}/)
    await prints(program, /order \d+ of partition \d+/)
  }
  await both[0]!.end('SIGTERM')
  await settled('nestjs-server', 1)
  await prints(both[1]!, /mine now \{"orders":\[\d+(,\d+){11}\]\}/)
})
