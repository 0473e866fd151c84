/**
 * Consumers in containers, as production runs them: killed, ended by their orchestrator, frozen, and cut off the
 * network. Only where an engine answers.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { completeOwnership, stableMembers } from './support/broker-view'
import { buildImage, type ContainerMember, startContainerMember } from './support/container-member'
import { type RunningKafka, startKafka } from './support/kafka'
import { Ledger } from './support/ledger'
import { SteadyProducer } from './support/producer'
import { createTopics } from './support/topics'
import { now, say, seconds, until } from './support/wait'

const partitions = 12
const missing =
  process.env.KAFKA_BROKER !== 'container'
    ? 'no container engine with an image of Kafka'
    : process.env.NODE_IMAGE
      ? ''
      : 'no image of Node'
const testInContainers = missing ? test.skip : test
const title = (text: string) => (missing ? `${text} [${missing}]` : text)

let kafka: RunningKafka
let admin: Admin
let app: Awaited<ReturnType<typeof buildImage>>

beforeAll(async () => {
  if (missing) return
  app = await buildImage(process.env.NODE_IMAGE!)
  kafka = await startKafka()
  admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
})
afterAll(async () => {
  await admin?.disconnect()
  await kafka?.remove()
  await app?.remove()
})

/** A topic with traffic and the group that reads it. */
class Service {
  readonly ledger = new Ledger()
  /** Those that should be in the group now. */
  readonly live = new Map<string, ContainerMember>()
  private readonly all: ContainerMember[] = []
  private readonly producer: SteadyProducer
  private owners = new Map<string, string>()

  constructor(private readonly topic: string) {
    this.producer = new SteadyProducer(kafka.brokers, this.ledger, new Map([[topic, partitions]]))
  }

  async start(...names: string[]): Promise<void> {
    await createTopics(admin, { [this.topic]: partitions })
    await this.producer.start()
    await Promise.all(names.map(name => this.add(name)))
    await this.settled()
  }

  async add(name: string): Promise<ContainerMember> {
    const env = { TOPIC: this.topic, GROUP: this.topic }
    const member = await startContainerMember(name, app.image, kafka, this.ledger, env)
    this.live.set(name, member)
    this.all.push(member)
    return member
  }

  /** Waits until the group is at rest; returns how many partitions have another owner than at the last rest. */
  async settled(): Promise<number> {
    const start = now()
    const owners = await until(`that ${[...this.live.keys()]} settle`, async () => {
      const members = await stableMembers(admin, this.topic, this.live.size)
      if (typeof members === 'string' || members.some(({ clientId }) => !this.live.has(clientId))) return undefined
      const named = members.map(({ clientId, assignment }) => ({ name: clientId, assignment }))
      const owners = await completeOwnership(admin, [this.topic], named)
      return typeof owners === 'string' ? undefined : owners
    })
    const moved = [...owners].filter(([key, owner]) => this.owners.get(key) !== owner).length
    this.owners = owners
    say(`${[...this.live.keys()]} settled after ${seconds(now() - start)}, moved ${moved}`)
    return moved
  }

  /** Moved partitions by the last line of whoever led last. */
  async logged(members: number): Promise<Record<string, unknown>> {
    return until('that the leader has logged it', () => {
      const lines = this.all.flatMap(({ log }) => log.filter(({ event }) => event === 'rebalance'))
      const last = lines.sort((a, b) => Number(a.time) - Number(b.time)).at(-1)
      return last?.members === members ? last : undefined
    })
  }

  async nothingLost(): Promise<void> {
    await this.producer.stop()
    await this.ledger.nothingLost()
    expect(this.ledger.produced).toBeGreaterThan(0)
  }

  async close(): Promise<void> {
    await this.producer.stop()
    await Promise.all(this.all.map(member => member.kill().catch(() => {})))
  }
}

let service: Service | undefined
afterEach(() => service?.close())

testInContainers(title('killed, and ended by the orchestrator'), async () => {
  service = new Service('ends')
  await service.start('a', 'b', 'c')
  const victim = service.live.get('a')!
  await victim.kill()
  service.live.delete('a')
  expect(await service.settled()).toBe(4)
  expect(await service.logged(2)).toMatchObject({ moved: 4, kept: 8, minimumMoves: 4 })

  await service.add('d')
  expect(await service.settled()).toBe(4)
  const ended = service.live.get('b')!
  service.live.delete('b')
  await ended.stop()
  expect(await service.settled()).toBe(4)
  expect(await service.logged(2)).toMatchObject({ moved: 4, minimumMoves: 4 })
  await service.nothingLost()
})

testInContainers(title('frozen for longer than its session, and thawed'), async () => {
  service = new Service('freezes')
  await service.start('a', 'b', 'c')
  const frozen = service.live.get('c')!
  await frozen.pause()
  service.live.delete('c')
  expect(await service.settled()).toBe(4)
  await frozen.resume()
  service.live.set('c', frozen)
  expect(await service.settled()).toBe(4)
  await service.nothingLost()
})

testInContainers(title('cut off the network, and back'), async () => {
  service = new Service('cuts')
  await service.start('a', 'b', 'c')
  const lost = service.live.get('b')!
  await lost.cut()
  service.live.delete('b')
  expect(await service.settled()).toBe(4)
  await lost.heal()
  service.live.set('b', lost)
  expect(await service.settled()).toBe(4)
  await service.nothingLost()
})
