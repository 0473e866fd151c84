/** What an operator reads of a rebalance, through pino or the consumer's kafkajs logger. */
import { Writable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import pino from 'pino'
import type { FieldsFirstLogger } from '../report/logger'
import { stickyAssignor } from './factories'
import { FakeKafka } from './testing/fake-kafka'
import { rebalance, ScriptedConsumer } from './testing/scripted-consumer'

function capture() {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { lines, logger: pino({ base: null, timestamp: false }, stream) }
}

const start = (kafka: FakeKafka, clientId: string, logger?: FieldsFirstLogger, topics = [...kafka.topics.keys()]) =>
  ScriptedConsumer.start(kafka, { clientId, topics, assigners: [stickyAssignor({ logger })] })

test('one rebalance is one line of the leader, and one of every member, in pino’s shape', async () => {
  const kafka = new FakeKafka({ orders: 6, audit: 1 })
  const [first, second] = [capture(), capture()]
  const a = await start(kafka, 'a', first.logger)
  const b = await start(kafka, 'b', second.logger)
  await rebalance(a)
  await rebalance(a, b)
  expect(first.lines.map(({ event, generation }) => `${event} ${generation}`)).toEqual([
    'rebalance 1',
    'assignment 1',
    'rebalance 2',
    'assignment 2',
  ])
  const [, , line, own] = first.lines
  expect(line).toEqual({
    level: 30,
    event: 'rebalance',
    groupId: 'group',
    memberId: a.memberId,
    generation: 2,
    strategy: 'sticky',
    protocol: 'eager',
    members: 2,
    partitions: 7,
    moved: 3,
    kept: 4,
    transferred: 3,
    unclaimed: 0,
    withheld: 0,
    minimumMoves: 3,
    balanceMin: 3,
    balanceMax: 4,
    balanceMinBefore: 0,
    balanceMaxBefore: 7,
    spread: 19,
    durationMs: expect.any(Number),
    planMs: expect.any(Number),
    reason: `the group is rebalancing; joined: ${b.memberId}`,
    msg: expect.stringMatching(/^Rebalanced 7 partitions over 2 members: moved 3 \(minimum 3\), kept 4, in \d+ ms$/),
  })
  expect(own).toMatchObject({
    event: 'assignment',
    role: 'leader',
    assigned: 4,
    kept: 4,
    gained: 0,
    gaveUp: 3,
    reason: 'the group is rebalancing',
    msg: 'Assigned 4 partitions: kept 4, gained 0, gave up 3',
  })
  expect(second.lines).toHaveLength(1)
  expect(second.lines[0]).toMatchObject({ event: 'assignment', role: 'follower', assigned: 3, gained: 3, gaveUp: 0 })
  expect(`${own!.partitions} · ${second.lines[0]!.partitions}`).toMatch(/orders 0-/)
  expect(kafka.logs.filter(({ namespace }) => namespace === 'StickyAssignor')).toEqual([])
})

test('without a logger the lines go to the consumer’s kafkajs logger, under a namespace of their own', async () => {
  const kafka = new FakeKafka({ T: 2 })
  await rebalance(await start(kafka, 'a'))
  const lines = kafka.logs.filter(({ namespace }) => namespace === 'StickyAssignor')
  expect(lines.map(({ message, fields }) => `${fields.event}: ${message}`)).toEqual([
    expect.stringMatching(/^rebalance: Rebalanced 2 partitions over 1 member: moved 2 \(minimum 2\)/),
    'assignment: Assigned 2 partitions: kept 0, gained 2, gave up 0',
  ])
})

test('fields are strings and numbers, and none hides a field that kafkajs writes itself', async () => {
  const kafka = new FakeKafka({ T: 2 })
  kafka.forbidden.add('secret')
  const a = await start(kafka, 'a')
  a.options.topics = ['T', 'secret', 'nowhere']
  const odd = Buffer.from('ffff', 'hex')
  a.run()
  kafka.once('JoinGroup', async (_, usual) => usual())
  kafka.once('JoinGroup', async (_, usual) => {
    const answer = (await usual()) as { members: object[] }
    return { ...answer, members: [...answer.members, { memberId: 'odd', memberMetadata: odd }] }
  })
  await a.join()
  const lines = kafka.logs.filter(({ namespace }) => namespace === 'StickyAssignor')
  expect(lines.map(({ fields }) => fields.event)).toEqual([
    'member-unreadable',
    'topics-missing',
    'rebalance',
    'assignment',
  ])
  expect(lines[2]!.fields).toMatchObject({ missingTopics: 'nowhere, secret', unreadableMembers: 'odd', members: 2 })
  for (const { fields } of lines)
    for (const [name, value] of Object.entries(fields)) {
      expect(['string', 'number']).toContain(typeof value)
      expect(['message', 'timestamp', 'logger', 'label', 'level', 'namespace', 'msg', 'time']).not.toContain(name)
    }
})

test('rejected claims are counted by reason', async () => {
  const kafka = new FakeKafka({ T: 2, U: 1 })
  const lines = capture()
  const a = await start(kafka, 'a', lines.logger)
  await rebalance(a)
  kafka.topics.delete('U')
  kafka.autoCreateTopics = false
  await rebalance(a)
  expect(lines.lines.filter(({ event }) => event === 'rebalance').at(-1)).toMatchObject({
    rejectedClaims: 1,
    rejectedReasons: 'unknown-topic 1',
  })
})

describe('a logger that fails', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('(%s) is survived', async (_, write) => {
    const kafka = new FakeKafka({ T: 2 })
    const logger = { info: write, warn: write, error: write } as FieldsFirstLogger
    const a = await start(kafka, 'a', logger)
    const b = await start(kafka, 'b', logger)
    await rebalance(a, b)
    await rebalance(a, b)
    expect([...a.assigned, ...b.assigned].sort()).toEqual(['T-0', 'T-1'])
  })

  test('loses none of its methods’ this', async () => {
    const kafka = new FakeKafka({ T: 1 })
    class Logger {
      lines: string[] = []
      info(_: object, message: string) {
        this.lines.push(message)
      }
      warn(_: object, message: string) {
        this.lines.push(message)
      }
      error(_: object, message: string) {
        this.lines.push(message)
      }
    }
    const logger = new Logger()
    await rebalance(await start(kafka, 'a', logger))
    expect(logger.lines).toHaveLength(2)
  })
})
