/**
 * Writes at a steady rate to every partition in turn and enters each acknowledged record in the ledger. Idempotent,
 * one request at a time: a plain kafkajs producer duplicates records when a broker dies.
 */
import { Kafka, logLevel, type Producer } from 'kafkajs'
import type { Ledger } from './ledger'
import { sleep } from './wait'

export class SteadyProducer {
  private producer: Producer | undefined
  private loop: Promise<void> | undefined
  private running = false
  private turn = 0
  /** Sends that failed for good; their records count as not produced. */
  readonly failures: Error[] = []

  constructor(
    private readonly brokers: string[],
    private readonly ledger: Ledger,
    /** Topics with their partition counts; may be changed while it runs. */
    readonly topics: Map<string, number>,
    private readonly perSecond = 60,
    /** How far apart it sends, in ms. */
    private readonly everyMs = 50,
  ) {}

  async start(): Promise<void> {
    await this.connect()
    this.running = true
    this.loop = this.work()
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    this.running = false
    await this.loop
    await this.producer?.disconnect()
    this.producer = undefined
  }

  private async connect(): Promise<void> {
    const kafka = new Kafka({
      clientId: 'steady-producer',
      brokers: this.brokers,
      logLevel: logLevel.NOTHING,
      connectionTimeout: 1000,
      requestTimeout: 5000,
      retry: { retries: 100, initialRetryTime: 100, maxRetryTime: 500 },
    })
    this.producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1, allowAutoTopicCreation: false })
    await this.producer.connect()
  }

  private async work(): Promise<void> {
    const { everyMs } = this
    while (this.running) {
      const start = Date.now()
      try {
        await this.send(Math.max(1, Math.round((this.perSecond * everyMs) / 1000)))
      } catch (error) {
        this.failures.push(error as Error)
        // Its sequence numbers are in doubt, or it does not know a partition yet: begin with a new one.
        await this.producer?.disconnect().catch(() => {})
        await this.connect().catch(() => {})
      }
      await sleep(Math.max(0, everyMs - (Date.now() - start)))
    }
  }

  private async send(count: number): Promise<void> {
    const partitions = [...this.topics].flatMap(([topic, n]) =>
      Array.from({ length: n }, (_, partition) => ({ topic, partition })),
    )
    const messages = new Map<string, { partition: number; value: string }[]>()
    for (let i = 0; i < count && partitions.length > 0; i++) {
      const { topic, partition } = partitions[this.turn++ % partitions.length]!
      messages.set(topic, [...(messages.get(topic) ?? []), { partition, value: String(this.turn) }])
    }
    const topicMessages = [...messages].map(([topic, each]) => ({ topic, messages: each }))
    for (const { topicName, partition, baseOffset } of (await this.producer?.sendBatch({ topicMessages, acks: -1 })) ??
      [])
      (messages.get(topicName) ?? [])
        .filter(message => message.partition === partition)
        .forEach((_, i) => {
          this.ledger.acknowledged({ topic: topicName, partition, offset: Number(baseOffset) + i })
        })
  }
}
