/**
 * The demo: a live group on a real Kafka gains and loses consumers on a script. Each consumer is a process that runs
 * `examples/orders/consumer.js`; what is shown comes from its log lines and from the broker.
 */
import { parseArgs } from 'node:util'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { plan } from 'kafkajs-sticky-assignor/planner'
import { completeOwnership, type DescribedMember, stableMembers } from '../../integration/support/broker-view'
import { type RunningKafka, startKafka } from '../../integration/support/kafka'
import { chooseKafka, describeChoice } from '../../integration/support/kafka/choose'
import { Ledger, type RecordAt } from '../../integration/support/ledger'
import { type LogRecord, Program, parseRecord } from '../../integration/support/program'
import { now, until } from '../../integration/support/wait'
import { RoundRobinShadow } from './round-robin'
import { header, note, type Row, row } from './table'

const topic = 'orders'
const groupId = 'orders-service'

const usage = `npm run demo -- [--assignor sticky|cooperative-sticky|range|roundrobin|kafkajs] [--partitions 12]
Kafka runs in a container where an engine has the image or can pull it, else as a process (Java 17+ and Maven).
Ends by itself, with status 0 only if no record was lost.`

/** @returns the exit status. */
export async function main(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      assignor: { type: 'string', default: 'sticky' },
      partitions: { type: 'string', default: '12' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const choice = await chooseKafka()
  console.log(`Kafka in ${describeChoice(choice)}`)
  const kafka = await startKafka({}, choice)
  console.log(`It answers at ${kafka.brokers.join(',')}\n`)
  try {
    return await new Demo(kafka, values.assignor, Number(values.partitions)).run()
  } finally {
    await kafka.remove()
  }
}

class Demo {
  private readonly admin: Admin
  private readonly ledger = new Ledger()
  private readonly consumers = new Map<string, Program>()
  private readonly everyone: Program[] = []
  private readonly shadow: RoundRobinShadow
  private readonly rows: Row[] = []
  private readonly env: Record<string, string>
  private readonly rebalanceRecords: LogRecord[] = []
  private owners = new Map<string, string>()

  constructor(
    kafka: RunningKafka,
    private readonly assignor: string,
    private readonly partitions: number,
  ) {
    this.env = {
      BROKERS: kafka.brokers.join(','),
      TOPIC: topic,
      GROUP: groupId,
      PARTITIONS: String(partitions),
      ASSIGNOR: assignor,
      LOG_LEVEL: 'debug',
    }
    this.shadow = new RoundRobinShadow(topic, partitions)
    this.admin = new Kafka({ clientId: 'demo', brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin()
  }

  async run(): Promise<number> {
    await this.admin.connect()
    try {
      const creation = this.start('topics', 'orders/topics.js')
      if ((await creation.exited) !== 0) throw new Error(`the topic was not created:\n${creation.output.join('\n')}`)
      const producer = this.start('producer', 'orders/producer.js')
      await this.script()
      await producer.end('SIGTERM')
      return await this.summary()
    } finally {
      await this.admin.disconnect()
      await Promise.all(this.everyone.map(program => program.end('SIGKILL')))
    }
  }

  private async script(): Promise<void> {
    console.log(`${this.partitions} partitions, assignor ${this.assignor}; each letter below is a consumer process\n`)
    console.log(header(topic))
    await this.step('A starts', () => this.add('A'))
    await this.step('B joins', () => this.add('B'))
    await this.step('C joins', () => this.add('C'))
    await this.step('B is killed with SIGKILL', () => this.remove('B', 'SIGKILL'))
    await this.step('D joins', () => this.add('D'))
    await this.step('E joins', () => this.add('E'))
    await this.step('A is asked to end with SIGTERM', () => this.remove('A', 'SIGTERM'))
    await this.step('F joins', () => this.add('F'))
  }

  private async step(step: string, change: () => unknown): Promise<void> {
    const since = Date.now()
    await change()
    const { members, owners } = await this.settled()
    const shown: Row = {
      step,
      members: members.length,
      moved: [...owners].filter(([partition, owner]) => this.owners.get(partition) !== owner).length,
      least: this.leastMoves(members),
      roundRobin: await this.shadow.step(members.map(({ memberId }) => memberId)),
      owners: Array.from({ length: this.partitions }, (_, partition) => owners.get(`${topic}-${partition}`) ?? '?'),
    }
    this.owners = owners
    this.rows.push(shown)
    console.log(row(shown))
    for (const { instance, msg } of this.rebalances(since)) console.log(note(`${instance} leads and logs: ${msg}`))
  }

  /** Waits until the broker calls the group stable with every consumer in it and each partition owned once. */
  private async settled(): Promise<{ members: DescribedMember[]; owners: Map<string, string> }> {
    let obstacle = ''
    return until(
      'that the group settles',
      async () => {
        const members = await stableMembers(this.admin, groupId, this.consumers.size)
        if (typeof members === 'string') {
          obstacle = members
          return undefined
        }
        const named = members.map(({ clientId, assignment }) => ({ name: clientId, assignment }))
        const owners = await completeOwnership(this.admin, [topic], named)
        if (typeof owners !== 'string') return { members, owners }
        obstacle = owners
        return undefined
      },
      { explain: () => obstacle },
    )
  }

  /** By the planner: the least moves that lead from the owners before to a balanced group of these members. */
  private leastMoves(members: DescribedMember[]): number {
    const owned = (name: string) =>
      [...this.owners].filter(([, owner]) => owner === name).map(([key]) => Number(key.slice(topic.length + 1)))
    return plan({
      strategy: 'sticky',
      topics: { [topic]: this.partitions },
      members: members.map(({ clientId }) => ({
        memberId: clientId,
        topics: [topic],
        owned: { [topic]: owned(clientId) },
        generation: 1,
      })),
    }).report.minimumMoves
  }

  private rebalances(since: number): LogRecord[] {
    return this.rebalanceRecords.filter(({ time }) => Number(time) >= since)
  }

  private async summary(): Promise<number> {
    const total = (column: 'moved' | 'least' | 'roundRobin') => this.rows.reduce((sum, each) => sum + each[column], 0)
    console.log(
      `\nMoved in all: ${total('moved')}; the least possible: ${total('least')}; ` +
        `kafkajs' round robin would have moved ${total('roundRobin')}.`,
    )
    const lost = await this.ledger.nothingLost().then(
      () => [],
      () => this.ledger.missing(),
    )
    const again = this.ledger.duplicates().length
    console.log(
      `Records: ${this.ledger.produced} produced, ${this.ledger.produced - lost.length} handled, ${lost.length} lost` +
        `; ${again} handled again, after a kill -9 or a rebalance in their midst.`,
    )
    if (lost.length > 0) console.log(`LOST: ${lost.slice(0, 20).join(' ')}`)
    return lost.length > 0 || this.ledger.produced === 0 ? 1 : 0
  }

  private read(program: string, line: string): void {
    const record = parseRecord(line)
    if (record?.event === 'rebalance') this.rebalanceRecords.push(record)
    if (record?.event === 'produced') this.ledger.acknowledged(recordOf(record))
    if (record?.event !== 'handled') return
    this.ledger.handling(program, recordOf(record), now())
    this.ledger.handled(program, recordOf(record), now())
  }

  private add(name: string): void {
    this.consumers.set(name, this.start(name, 'orders/consumer.js'))
  }

  private async remove(name: string, signal: NodeJS.Signals): Promise<void> {
    const program = this.consumers.get(name)
    this.consumers.delete(name)
    await program?.end(signal)
  }

  private start(name: string, file: string): Program {
    const program = new Program(name, file, this.env, line => this.read(name, line))
    this.everyone.push(program)
    return program
  }
}

function recordOf({ partition, offset }: LogRecord): RecordAt {
  return { topic, partition: Number(partition), offset: Number(offset) }
}
