/**
 * `inspect` as a user runs it, on live groups: what it shows is what the members and the broker say, and what it
 * foretells is what the group then does when its members or topics really change.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { Kafka, logLevel } from 'kafkajs'
import type { Report } from '../src/cli/inspect/report'
import type { WhatIf } from '../src/cli/inspect/what-if'
import { Group, type Settled } from './support/group'
import { javaMember, javaMissing } from './support/java-member'
import { type RunningKafka, startKafka } from './support/kafka'
import { partitionKey } from './support/ledger'
import type { HostOptions, Member } from './support/member'
import { root } from './support/root'
import { growTopic } from './support/topics'
import { until } from './support/wait'

let kafka: RunningKafka
let java: HostOptions | undefined
let group: Group
let folder: string
let groups = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inspect-'))
  ;[kafka, java] = await Promise.all([startKafka(), javaMissing ? undefined : javaMember()])
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await kafka?.remove()
})
afterEach(() => group?.close())

interface Outcome {
  status: number
  stdout: string
  stderr: string
}

/** Runs the command in a process of its own. */
function run(...args: string[]): Promise<Outcome> {
  return new Promise(resolve => {
    const command = [join(root, 'dist/cli/main.js'), ...args]
    execFile(process.execPath, command, { maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

const ofGroup = (groupId = group.groupId) => ['inspect', '--brokers', kafka.brokers.join(','), '--group', groupId]

async function inspect(...flags: string[]): Promise<Report> {
  const { status, stdout, stderr } = await run(...ofGroup(), '--format', 'json', ...flags)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout) as Report
}

/** Ours, Java's where there is Java, and one whose metadata nobody can read. Ours came first, and leads. */
async function mixedGroup(strategy: string): Promise<Settled> {
  const [audit, orders] = [`audit-${++groups}`, `orders-${groups}`]
  group = await Group.start(kafka, {
    topics: { [audit]: 5, [orders]: 12 },
    assigners: [strategy],
    traffic: 0,
    consumer: { metadataMaxAge: 1000 },
  })
  await group.add('ours-1')
  await group.settled()
  await group.add('ours-2')
  if (java) await group.addWith('java', {}, java)
  await group.settled()
  await group.addWith('one-topic', { topics: [orders] })
  await group.addWith('garbage', { assigners: [{ name: 'garbage', protocol: strategy, hex: 'fffe0102' }] })
  return group.settled()
}

describe.each(['sticky', 'cooperative-sticky'])(
  `a %s group of kafkajs${javaMissing ? '' : ', Java'} and garbage`,
  strategy => {
    test('is shown as its members and the broker know it', async () => {
      await mixedGroup(strategy)
      await leaveLag(3)
      const left = (member: Member) => (member.name === 'java' ? 0 : 3) * Object.values(member.assignment).flat().length
      const { group: shown } = await inspect()
      expect(shown).toMatchObject({
        groupId: group.groupId,
        state: 'Stable',
        protocol: strategy,
        topics: Object.fromEntries(group.producer.topics),
        notes: [],
      })
      expect(shown!.members.map(({ memberId }) => memberId)).toEqual(
        group.running.map(({ memberId }) => memberId!).sort(),
      )
      for (const member of group.running) {
        const { memberId, clientId, host, subscription, unreadable, claimed, assigned, lag } = shown!.members.find(
          each => each.memberId === member.memberId,
        )!
        expect({ memberId, clientId, assigned, lag }).toEqual({
          memberId: member.memberId,
          clientId: member.name,
          assigned: sorted(member.assignment),
          lag: { records: left(member), partitionsWithoutCommit: 0 },
        })
        expect(host).toMatch(/^\/\d+\.\d+\.\d+\.\d+$/)
        if (member.name === 'garbage') {
          expect(unreadable).toBe('version at byte 0: its version, count or length is negative')
          expect(subscription).toEqual({ version: -2, topics: [], rackId: null })
        } else {
          expect(unreadable).toBeNull()
          expect(subscription).toEqual({ version: 3, topics: member.config.topics, rackId: null })
        }
        // The claims of its last join: what it had before the last rebalance, if it was there.
        if (member.name === 'ours-1') {
          expect(claimed.held).toBe(strategy === 'cooperative-sticky')
          expect(claimed.generation).toBeGreaterThan(0)
          expect(claimed.partitions).not.toEqual({})
        }
      }
      expect(shown!.verdict).toMatchObject({
        optimum: true,
        movesToBest: 0,
        unassigned: {},
        assignedTwice: {},
        stray: [],
      })
      expect(shown!.lag).toEqual({
        records: group.running.reduce((sum, member) => sum + left(member), 0),
        partitionsWithoutCommit: 0,
      })

      const { stdout } = await run(...ofGroup())
      for (const member of group.running) expect(stdout).toContain(member.memberId)
      expect(stdout).toMatch(/Balance .* the optimum/)
      expect(stdout).toMatch(/Unreadable {2}garbage-/)
    })

    test('does what was foretold: a member joins, one leaves, a topic grows', async () => {
      const before = await mixedGroup(strategy)
      const joining = (await inspect('--add', '1')).whatIf!
      await group.add('newcomer')
      const joined = await group.settled()
      expectForetold(joining, before, joined)

      const leaver = group.member('ours-2')
      const leaving = (await inspect('--remove', leaver.memberId!)).whatIf!
      await leaver.stop()
      const left = await group.settled()
      expectForetold(leaving, joined, left)

      const [, orders] = [...group.producer.topics.keys()]
      const growing = (await inspect('--partitions', `${orders}=15`)).whatIf!
      await growTopic(group.admin, orders!, 15)
      expectForetold(growing, left, await group.settled())
    })
  },
)

/** So many records in each partition that nobody has handled, but in those of the Java member, which goes on. */
async function leaveLag(records: number): Promise<void> {
  const producer = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).producer()
  await producer.connect()
  const write = (count: number) =>
    producer.sendBatch({
      topicMessages: [...group.producer.topics].map(([topic, n]) => ({
        topic,
        messages: Array.from({ length: n * count }, (_, i) => ({ partition: i % n, value: 'x' })),
      })),
    })
  await write(1)
  await until('that everything is committed', async () => (await uncommitted()).length === 0)
  for (const { host, name, config } of group.running)
    if (!['garbage', 'java'].includes(name))
      await host.call('pauseTopics', name, { topics: config.topics.map(topic => ({ topic })) })
  await write(records)
  await producer.disconnect()
  const owned = (name: string) =>
    Object.entries(group.members.get(name)?.assignment ?? {}).flatMap(([topic, partitions]) =>
      partitions.map(partition => partitionKey({ topic, partition })),
    )
  await until('that the Java member has committed', async () => {
    const left = await uncommitted()
    return owned('java').every(key => !left.includes(key))
  })
}

/** Partitions with records behind the committed offset. */
async function uncommitted(): Promise<string[]> {
  const { admin, groupId } = group
  const topics = [...group.producer.topics.keys()]
  const committed = await admin.fetchOffsets({ groupId, topics })
  const left = await Promise.all(
    topics.map(async topic => {
      const offsets = committed.find(each => each.topic === topic)!.partitions
      const ends = await admin.fetchTopicOffsets(topic)
      const behind = ends.filter(end => offsets.find(each => each.partition === end.partition)?.offset !== end.high)
      return behind.map(({ partition }) => partitionKey({ topic, partition }))
    }),
  )
  return left.flat()
}

const sorted = (assignment: Record<string, number[]>) =>
  Object.fromEntries(
    Object.entries(assignment)
      .filter(([, partitions]) => partitions.length > 0)
      .map(([topic, partitions]) => [topic, [...partitions].sort((a, b) => a - b)]),
  )

/** Sizes, the partitions that moved, and what each of the old members kept. Newcomers' ids could not be known. */
function expectForetold({ members, answer, ...open }: WhatIf, before: Settled, after: Settled): void {
  const owned = ({ owners }: Settled, name: string) =>
    [...owners].flatMap(([key, owner]) => (owner === name ? [key] : []))
  const keys = (partitions: Record<string, readonly number[]>) =>
    Object.entries(partitions).flatMap(([topic, ids]) => ids.map(partition => partitionKey({ topic, partition })))
  const names = new Map(group.running.map(({ memberId, name }) => [memberId, name]))
  const newcomers = group.running.filter(({ memberId }) => !members.some(member => member.memberId === memberId))
  expect(open).toMatchObject({ newIdsMatter: false, newIdsDecideGains: false })

  const sizes = (lists: string[][]) => lists.map(list => list.length).sort((a, b) => a - b)
  expect(sizes(newcomers.map(({ name }) => owned(after, name)))).toEqual(
    sizes(members.filter(({ isNew }) => isNew).map(member => keys(member.after))),
  )
  for (const { memberId, isNew, after: foretold } of members)
    if (!isNew) expect(owned(after, names.get(memberId)!).sort()).toEqual(keys(foretold).sort())
  const moved = [...after.owners].filter(([key, owner]) => before.owners.get(key) !== owner).map(([key]) => key)
  expect(moved.sort()).toEqual(members.flatMap(({ gains }) => keys(gains)).sort())
  expect(moved.length).toBe(answer.minimumMoves)
}

describe('what is saved', () => {
  test('is a request of plan, replays without a cluster, and gives the same plan', async () => {
    await mixedGroup('sticky')
    const file = join(folder, 'request.json')
    const live = (await inspect('--save', file, '--add', '2')).whatIf!
    const { stdout } = await run('inspect', '--replay', file, '--add', '2', '--format', 'json')
    const replayed = (JSON.parse(stdout) as Report).whatIf!
    const timeless = ({ answer: { planMs, ...answer }, ...rest }: WhatIf) => ({ answer, ...rest })
    expect(timeless(replayed)).toEqual(timeless(live))
    expect(JSON.parse(await planned(readFileSync(file)))).toMatchObject({ strategy: 'sticky', moved: 0, kept: 17 })

    // What the last leader was told gives what it planned.
    const joined = await inspect('--save', file, '--claims', 'joined')
    const again = JSON.parse(await planned(readFileSync(file))) as WhatIf['answer']
    for (const { memberId, assigned } of joined.group!.members) expect(again.assignment[memberId]).toEqual(assigned)
  })
})

function planned(request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [join(root, 'dist/cli/main.js'), 'plan'], (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
    child.stdin!.end(request)
  })
}

describe('what cannot be inspected is told in one line, with exit status 1', () => {
  const failed = (message: RegExp) => ({ status: 1, stdout: '', stderr: expect.stringMatching(message) })

  test('a group that does not exist', async () => {
    expect(await run(...ofGroup('nobody\u001b[31m'))).toEqual(
      failed(/^inspect: no group "nobody\\u001b\[31m"; the cluster shows .*\n$/),
    )
  })

  test('a group without members still has its lag', async () => {
    group = await Group.start(kafka, { topics: { audit: 5 }, assigners: ['sticky'] })
    const [member] = await group.add('a')
    await group.settled()
    await group.nothingLost()
    await member!.disconnect()
    await until('that the group is empty', async () => (await inspect()).group!.state === 'Empty')
    expect((await inspect('--add', '2=audit')).whatIf!.members.map(({ after }) => after.audit!.length)).toEqual([3, 2])
    expect((await run(...ofGroup())).stdout).toMatch(/Empty, 0 members, 5 partitions in 1 topic\n\nLag +\d+ records/)
    expect(await run(...ofGroup(), '--add', '1')).toEqual(failed(/^inspect: no member subscribes a topic/))
  })

  const withJava = javaMissing ? test.skip : test
  withJava(`a group of the new consumer protocol${javaMissing ? ` (${javaMissing})` : ''}`, async () => {
    group = await Group.start(kafka, { topics: { audit: 5 }, assigners: ['sticky'], traffic: 0 })
    const modern = await group.addWith('java', { properties: { 'group.protocol': 'consumer' } }, java)
    await until('that it is in the group', () => modern.joins.length > 0)
    expect(await run(...ofGroup())).toEqual(failed(/^inspect: group "[^"]+" cannot be inspected: .*KIP-848.*\n$/))
  })

  test('a broker that nobody has started, and one that never answers', async () => {
    const dead = await run('inspect', '--brokers', '127.0.0.1:1', '--group', 'x')
    expect(dead).toEqual(failed(/^inspect: the broker cannot be reached: 127\.0\.0\.1:1: connection refused\n$/))
    const silent = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => silent.once('listening', resolve))
    const address = `127.0.0.1:${(silent.address() as { port: number }).port}`
    const { stderr, status } = await run('inspect', '--brokers', address, '--group', 'x', '--timeout', '1000')
    silent.close()
    expect({ stderr, status }).toEqual({
      stderr: `inspect: the broker cannot be reached: ${address}: no answer\n`,
      status: 1,
    })
  })

  test('one dead broker of two does no harm', async () => {
    const brokers = `127.0.0.1:1,${kafka.brokers.join(',')}`
    const { stderr } = await run('inspect', '--brokers', brokers, '--group', 'nobody')
    expect(stderr).toMatch(/^inspect: no group "nobody"/)
  })

  test('and wrong flags with the usage, and exit status 2', async () => {
    const { status, stderr } = await run('inspect', '--group', 'x', '--add', 'two', '--brokers', 'localhost:9092')
    expect(status).toBe(2)
    expect(stderr).toMatch(/^--add: expected N or N=topic,…; got "two"\n\nUsage: kafkajs-sticky-assignor inspect /)
  })
})
