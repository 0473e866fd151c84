/**
 * A cooperative consumer on a broker with TLS and SASL that makes clients authenticate again every few seconds: its own
 * connections do that too, while it heartbeats, commits and rebalances, and they are two at most.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type Admin, type Consumer, type ConsumerConfig, type ISocketFactory, Kafka, logLevel } from 'kafkajs'
import { cooperativeStickyAssignor } from 'kafkajs-sticky-assignor'
import { type RunningKafka, startKafka } from './support/kafka'
import { keytoolMissing, makeCertificate, securedProperties } from './support/secured'
import { createTopics } from './support/topics'
import { say, until } from './support/wait'

const passwords = { admin: 'admin-pw', member: 'member-pw' }
/** The broker's. A connection that sends anything later than this without having authenticated again is closed. */
const lifetimeMs = 3000
/** kafkajs authenticates again so long before. */
const thresholdMs = 1500

const secured = keytoolMissing ? describe.skip : describe

secured(`TLS, SASL and short sessions${keytoolMissing ? ' (no keytool to make a certificate)' : ''}`, () => {
  let folder: string
  let ca: string
  let kafka: RunningKafka
  let admin: Admin
  let members: Member[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'secured-'))
    ca = join(folder, 'ca.pem')
    const store = join(folder, 'broker.p12')
    makeCertificate(store, ca)
    const properties = { ...securedProperties(store, passwords), 'connections.max.reauth.ms': String(lifetimeMs) }
    kafka = await startKafka({ properties }, { kind: 'process', why: 'its files are on this machine' })
    admin = clientOf('admin').admin()
    await admin.connect()
  })
  afterEach(async () => {
    await Promise.all(members.map(({ consumer }) => consumer.disconnect()))
    members = []
  })
  afterAll(async () => {
    await admin?.disconnect()
    await kafka?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  function clientOf(user: keyof typeof passwords, more: { socketFactory?: ISocketFactory; lines?: string[] } = {}) {
    const { socketFactory, lines } = more
    return new Kafka({
      clientId: 'secured',
      brokers: kafka.brokers,
      ssl: { ca: [readFileSync(ca, 'utf8')] },
      sasl: { mechanism: 'plain', username: user, password: passwords[user] },
      reauthenticationThreshold: thresholdMs,
      logLevel: lines ? logLevel.ERROR : logLevel.NOTHING,
      logCreator:
        () =>
        ({ namespace, log }) =>
          void lines?.push(`${namespace}: ${log.message}`),
      ...(socketFactory ? { socketFactory } : {}),
    })
  }

  interface Member {
    consumer: Consumer
    sockets: Set<Socket>
    /** Sockets that it has opened so far. */
    opened: number
    /** Requests by name. */
    requests: Map<string, number>
    generations: Set<number>
    seen: string[]
    errors: string[]
    crashes: unknown[]
  }

  async function start(groupId: string, topic: string, config: Partial<ConsumerConfig>): Promise<Member> {
    const sockets = new Set<Socket>()
    const errors: string[] = []
    const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
      const socket = ssl ? connectTls({ host, port, ...ssl }, onConnect) : connectPlain({ host, port }, onConnect)
      sockets.add(socket)
      member.opened++
      socket.once('close', () => sockets.delete(socket))
      return socket
    }
    const client = clientOf('member', { socketFactory, lines: errors })
    const consumer = client.consumer({ groupId, sessionTimeout: 6000, heartbeatInterval: 500, ...config })
    const member: Member = {
      consumer,
      sockets,
      opened: 0,
      requests: new Map(),
      generations: new Set(),
      seen: [],
      errors,
      crashes: [],
    }
    members.push(member)
    consumer.on(consumer.events.REQUEST, ({ payload: { apiName } }) => {
      member.requests.set(apiName, (member.requests.get(apiName) ?? 0) + 1)
    })
    consumer.on(consumer.events.HEARTBEAT, ({ payload }) => void member.generations.add(payload.groupGenerationId))
    consumer.on(consumer.events.CRASH, ({ payload }) => void member.crashes.push(payload.error))
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await consumer.run({ eachMessage: async ({ message }) => void member.seen.push(String(message.value)) })
    return member
  }

  const count = (member: Member, api: string) => member.requests.get(api) ?? 0

  /** Waits until it has authenticated so many times more, heartbeating all the while. */
  async function authenticatesAgain(member: Member, times: number): Promise<void> {
    const before = count(member, 'SaslAuthenticate')
    await until(`that it authenticates ${times} times more`, () => count(member, 'SaslAuthenticate') - before >= times)
  }

  async function open(member: Member): Promise<number> {
    // A connection that kafkajs made while it looked for the cluster may be on its way out.
    let before = -1
    return until(
      'that the sockets are as many as before',
      () => {
        const now = member.sockets.size
        const same = now === before
        before = now
        return same && now
      },
      { everyMs: 300 },
    )
  }

  test('over several sessions no connection ends, and there are two more than stock', async () => {
    const topic = 'orders'
    await createTopics(admin, { [topic]: 4 })
    const producer = clientOf('admin').producer({ idempotent: true, maxInFlightRequests: 1 })
    await producer.connect()
    const sent: string[] = []
    const send = async () => {
      const messages = [0, 1, 2, 3].map(partition => ({ partition, value: `${sent.length + partition}` }))
      await producer.send({ topic, messages })
      sent.push(...messages.map(({ value }) => value))
    }

    await send()
    const stock = await start('stock', topic, {})
    await authenticatesAgain(stock, 4)
    await until('that it has read all', () => stock.seen.length === sent.length)
    const stockSockets = await open(stock)
    await stock.consumer.disconnect()

    const partitionAssigners = [cooperativeStickyAssignor()]
    const a = await start('group', topic, { partitionAssigners })
    expect(await open(a)).toBeLessThanOrEqual(stockSockets + 2)
    const { opened } = a
    for (let i = 0; i < 3; i++) {
      const beats = count(a, 'Heartbeat')
      await authenticatesAgain(a, 3)
      expect(count(a, 'Heartbeat')).toBeGreaterThan(beats)
      await send()
    }
    expect([...a.generations]).toHaveLength(1)

    // Its connection for joins has been silent for longer than a session by now.
    const b = await start('group', topic, { partitionAssigners })
    await authenticatesAgain(b, 4)
    await send()
    await b.consumer.stop()
    await authenticatesAgain(a, 4)
    await send()
    await until('that all is read', () => a.seen.length + b.seen.length >= sent.length)
    expect([...a.seen, ...b.seen].sort()).toEqual([...sent].sort())

    say(`sockets: stock ${stockSockets}, cooperative ${await open(a)}; ${JSON.stringify([...a.requests])}`)
    expect(a.opened).toBe(opened)
    expect(a.crashes.concat(b.crashes)).toEqual([])
    expect(a.errors.concat(b.errors)).toEqual([])
    await a.consumer.disconnect()
    await until('that its sockets are closed', () => a.sockets.size === 0)
    await producer.disconnect()
  })
})
