/**
 * A consumer group under test: its topics, its members in processes of their own, traffic, and what must hold.
 *
 *     const kafka = await startKafka()
 *     const group = await Group.start(kafka, { topics: { orders: 12 }, assigners: ['sticky'] })
 *     const [a, b] = await group.add('a', 'b')
 *     await group.settled()            // every partition owned once, the same by the broker's and the members' word
 *     await a.kill()
 *     const { owners, rebalance } = await group.settled()
 *     await group.nothingLost()        // stops the traffic, waits until every record has been handled
 *     await group.close(); await kafka.remove()
 */
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { completeOwnership, stableMembers } from './broker-view'
import type { RunningKafka } from './kafka/types'
import { Ledger } from './ledger'
import {
  type AssignerChoice,
  type Assignment,
  type HostOptions,
  type LogLine,
  type Member,
  type MemberConfig,
  MemberHost,
} from './member'
import { SteadyProducer } from './producer'
import { createTopics, growTopic } from './topics'
import { Hopeless, now, say, seconds, type UntilOptions, until } from './wait'

export interface GroupOptions extends Partial<Omit<MemberConfig, 'topics'>> {
  /** Topics to create, with their partition counts. Members read all of them unless told otherwise. */
  topics: Record<string, number>
  assigners: AssignerChoice[]
  /** Records per second over all partitions; 0 for none. */
  traffic?: number
  /** How far apart they are sent, in ms. */
  trafficEveryMs?: number
}

export interface Settled {
  /** Since the call of settled(). */
  ms: number
  /** Member name by "topic-partition". */
  owners: Map<string, string>
  leader: Member
  protocol: string
  /** Partitions with another owner than when the group was settled last; all of them the first time. */
  moved: number
  /** The leader's last `rebalance` line, where its assignor writes one. */
  rebalance: Record<string, unknown> | undefined
}

let groups = 0

export class Group {
  readonly members = new Map<string, Member>()
  readonly ledger = new Ledger()
  readonly producer: SteadyProducer
  private readonly hosts: MemberHost[] = []
  private readonly deleted = new Set<string>()
  private lastOwners = new Map<string, string>()

  private constructor(
    readonly kafka: RunningKafka,
    readonly groupId: string,
    readonly admin: Admin,
    private readonly options: GroupOptions,
  ) {
    const counts = new Map(Object.entries(options.topics))
    this.producer = new SteadyProducer(kafka.brokers, this.ledger, counts, options.traffic, options.trafficEveryMs)
  }

  static async start(kafka: RunningKafka, options: GroupOptions): Promise<Group> {
    const client = new Kafka({
      clientId: 'test',
      brokers: kafka.brokers,
      logLevel: logLevel.NOTHING,
      connectionTimeout: 1000,
      requestTimeout: 10_000,
      retry: { retries: 20, initialRetryTime: 100, maxRetryTime: 1000 },
    })
    const admin = client.admin()
    await admin.connect()
    const group = new Group(kafka, options.groupId ?? `group-${process.pid}-${++groups}`, admin, options)
    try {
      // kafkajs' admin throws a TypeError while the brokers have not told it of each other.
      const existing = new Set(await until('the topics are listed', () => admin.listTopics()))
      const missing = Object.entries(options.topics).filter(([topic]) => !existing.has(topic))
      if (missing.length > 0) await createTopics(admin, Object.fromEntries(missing), kafka.nodes.length)
      // A new cluster makes its offsets topic now, and a busy one takes longer than a consumer tries.
      await until('that the group has a coordinator', () => admin.describeGroups([group.groupId]))
      if (options.traffic !== 0) await group.producer.start()
    } catch (error) {
      await group.close()
      throw error
    }
    return group
  }

  /** Starts members, each in a process of its own. */
  async add(...names: string[]): Promise<Member[]> {
    return Promise.all(names.map(name => this.addWith(name)))
  }

  async addWith(name: string, changes: Partial<MemberConfig> = {}, host: HostOptions = {}): Promise<Member> {
    const [member] = await this.addTogether([name], changes, host)
    return member!
  }

  /** Several consumers in one process. */
  async addTogether(
    names: string[],
    changes: Partial<MemberConfig> = {},
    options: HostOptions = {},
  ): Promise<Member[]> {
    const host = new MemberHost(this.ledger, options)
    this.hosts.push(host)
    const { topics, traffic, trafficEveryMs, ...defaults } = this.options
    return Promise.all(
      names.map(async name => {
        if (this.members.has(name)) throw new Error(`there is a member ${name} already`)
        const member = await host.consumer(name, {
          ...defaults,
          brokers: this.kafka.brokers,
          groupId: this.groupId,
          clientId: name,
          topics: Object.keys(topics),
          ...changes,
        })
        this.members.set(name, member)
        member.run()
        return member
      }),
    )
  }

  /** Gives a topic more partitions and lets the traffic reach them. */
  async grow(topic: string, partitions: number): Promise<void> {
    await growTopic(this.admin, topic, partitions, this.kafka.nodes.length)
    if (this.producer.topics.has(topic)) this.producer.topics.set(topic, partitions)
  }

  /** Ends a topic's traffic, waits until what it holds is handled, and deletes it. */
  async deleteTopic(topic: string): Promise<void> {
    this.producer.topics.delete(topic)
    await until(`that ${topic} is drained`, () => !this.ledger.missing().some(key => key.startsWith(`${topic}-`)))
    await this.admin.deleteTopics({ topics: [topic] })
    this.deleted.add(topic)
  }

  get running(): Member[] {
    return [...this.members.values()].filter(member => member.running)
  }

  member(name: string): Member {
    const member = this.members.get(name)
    if (!member) throw new Error(`no member ${name}`)
    return member
  }

  /**
   * Waits until the group is at rest: stable by the broker's word with exactly the members that run, each with the
   * assignment that it reports itself, and every partition of every subscribed topic owned exactly once.
   */
  async settled({ timeoutMs = 90_000, everyMs = 50 }: UntilOptions = {}): Promise<Settled> {
    const start = now()
    let obstacle = ''
    const { owners, leader } = await until(
      `that ${this.running.map(member => member.name).join(', ')} settle`,
      async () => {
        const view = await this.ownership()
        if (typeof view !== 'string') return view
        obstacle = view
        return undefined
      },
      { timeoutMs, everyMs, explain: () => `${obstacle}\n${this.describe()}` },
    )
    const ms = now() - start
    const rebalance = leader.logs.filter(isRebalance).at(-1)?.fields
    const moved = [...owners].filter(([key, owner]) => this.lastOwners.get(key) !== owner).length
    this.lastOwners = owners
    const least = rebalance ? `, least ${rebalance.minimumMoves}` : ''
    say(`${this.shares()} settled after ${seconds(ms)}, moved ${moved}${least}`)
    return { ms, owners, leader, protocol: leader.joins.at(-1)!.protocol, moved, rebalance }
  }

  /** Every `rebalance` line of the package so far, whoever led, in the order of time. */
  rebalances(): LogLine[] {
    const lines = [...this.members.values()].flatMap(member => member.logs.filter(isRebalance))
    return lines.sort((a, b) => a.at - b.at)
  }

  /** Stops the traffic and waits until every record that was produced has been handled. */
  async nothingLost(): Promise<void> {
    await this.producer.stop()
    await this.ledger.nothingLost()
    const duplicates = this.ledger.duplicates().length
    say(`${this.ledger.produced} records, all handled; ${duplicates} more than once`)
  }

  /** Ends everything that it started, whatever has failed before. */
  async close(): Promise<void> {
    await this.producer.stop().catch(() => {})
    await Promise.all(this.hosts.map(host => host.kill()))
    await this.admin.disconnect()
  }

  /** What every member said last, for the message of a failure. */
  describe(): string {
    return [...this.members.values()]
      .map(member => {
        const lines = member.logs
          .slice(-6)
          .map(log => `      ${log.level} ${log.message} ${JSON.stringify(log.fields)}`)
        const state = member.running ? 'runs' : `does not run (process ${member.host.state})`
        const what = `${member.name} ${state}, ${JSON.stringify(member.joins.at(-1))}`
        const trouble = [...member.crashes.map(crash => crash.error), ...member.failures.map(String)].slice(-2)
        return [`    ${what}`, ...trouble.map(each => `      ${each}`), ...lines].join('\n')
      })
      .join('\n')
  }

  private shares(): string {
    const size = (member: Member) => Object.values(member.assignment).reduce((sum, each) => sum + each.length, 0)
    return this.running.map(member => `${member.name} ${size(member)}`).join(', ')
  }

  /** The owners and who leads, or what is not right yet. */
  private async ownership(): Promise<Pick<Settled, 'owners' | 'leader'> | string> {
    const running = this.running
    for (const member of running) if (member.dead) throw new Hopeless(`${member.name} has crashed for good`)
    const described = await stableMembers(this.admin, this.groupId, running.length)
    if (typeof described === 'string') return described
    const named: { name: string; assignment: Assignment }[] = []
    for (const { memberId, assignment } of described) {
      const member = running.find(each => each.memberId === memberId)
      if (!member) return `${memberId} is none of ours`
      if (canonical(assignment) !== canonical(member.assignment))
        return `${member.name} reports ${canonical(member.assignment)}, the broker says ${canonical(assignment)}`
      named.push({ name: member.name, assignment })
    }
    // A member whose assignment stays may not have reported yet that it leads now.
    const [leader, another] = running.filter(member => member.leader)
    if (!leader || another) return leader ? `${leader.name} and ${another!.name} lead` : 'nobody leads'
    const topics = new Set(running.flatMap(member => member.config.topics).filter(topic => !this.deleted.has(topic)))
    const owners = await completeOwnership(this.admin, [...topics], named)
    return typeof owners === 'string' ? owners : { owners, leader }
  }
}

const isRebalance = (line: LogLine): boolean => line.fields.event === 'rebalance'

function canonical(assignment: Record<string, number[]>): string {
  const topics = Object.entries(assignment).filter(([, partitions]) => partitions.length > 0)
  return JSON.stringify(topics.map(([topic, ids]) => [topic, [...ids].sort((a, b) => a - b)]).sort())
}
