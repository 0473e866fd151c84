/**
 * Consumers in processes of their own, which can be killed, stopped and continued as an operating system does it.
 * A `MemberHost` is the process; a `Member` one consumer in it and what it has told so far.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { guard } from './keeper'
import type { Ledger } from './ledger'
import { root } from './root'
import { now } from './wait'

export type AssignerChoice =
  | string
  | {
      /** `sticky`, `cooperative-sticky`, `range`, `roundrobin`, `kafkajs-roundrobin`, `custom` or `garbage`. */
      name: string
      /** Options of the package's assignor, as far as JSON can say them. */
      options?: Record<string, unknown>
      /** Callbacks among the options whose calls are to be reported. */
      observe?: string[]
      /** How long such a callback takes, in ms. */
      delays?: Record<string, number>
      /** For `garbage`: the protocol name that it pretends, and its bytes. */
      protocol?: string
      hex?: string
    }

/** What JSON can say of a consumer. `consumer`, `run` and `kafka` go to kafkajs as they are. */
export interface MemberConfig {
  brokers: string[]
  groupId: string
  clientId: string
  topics: string[]
  assigners: AssignerChoice[]
  mode?: 'eachMessage' | 'eachBatch'
  /** partitionsConsumedConcurrently */
  concurrency?: number
  handlerDelayMs?: number
  /** Call heartbeat() after each message. */
  heartbeatInHandler?: boolean
  /** Commit each record by commitOffsets, for `run: { autoCommit: false }`. */
  manualCommit?: boolean
  /** Default true. */
  fromBeginning?: boolean
  /** Subscribe a regular expression instead of `topics`. */
  topicPattern?: string
  /** Consumers of one process on one Kafka instance. */
  sharedKafka?: boolean
  /** A listener of GROUP_JOIN that throws, from the second event on. */
  listenersThrow?: boolean
  /** Report HEARTBEAT events too. */
  reportHeartbeats?: boolean
  logLevel?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'
  kafka?: Record<string, unknown>
  consumer?: Record<string, unknown>
  run?: Record<string, unknown>
  /** Of a Java member: consumer properties by Kafka's names. */
  properties?: Record<string, string>
}

export interface SlowPartition {
  topic: string
  partition: number
  ms: number
  everyMs: number
}

export interface HostOptions {
  /** Another node than ours. */
  execPath?: string
  /** Paths of other copies of kafkajs and of this package. */
  kafkajs?: string
  package?: string
  /** Another program than member-process.cjs, which speaks the same in JSON lines; see java-member.ts. */
  program?: string[]
}

export type Assignment = Record<string, number[]>

export interface JoinEvent {
  at: number
  memberId: string
  leader: boolean
  protocol: string
  assignment: Assignment
}

export interface LogLine {
  at: number
  level: string
  namespace: string
  message: string
  fields: Record<string, unknown>
}

export interface CallbackEvent {
  at: number
  callback: string
  phase: 'start' | 'end'
  args: unknown[]
}

export interface CommitEvent {
  at: number
  generation: number
  topics: { topic: string; partitions: { partition: string | number; offset: string }[] }[]
}

export interface HeartbeatEvent {
  at: number
  memberId: string
  generation: number
}

export interface CrashEvent {
  at: number
  error: string
  restart: boolean
}

/** Of a member's process: what keeps it alive, its heap, listeners at its consumer and at kafkajs' connections. */
export interface Resources {
  kinds: Record<string, number>
  heapMb: number
  listeners: number
}

/** An OpenTelemetry span that has ended in a member's process; see traced-kafkajs.cjs. */
export interface EndedSpan {
  name: string
  kind: number
  status: { code: number }
  attributes: Record<string, unknown>
}

type ChildMessage =
  | { reply: number; value?: unknown; error?: string }
  | { span: EndedSpan }
  | ({ consumer: string; type: string; at: number } & Record<string, unknown>)

/** What members report to. */
export type Observer = Pick<Ledger, 'handling' | 'handled' | 'committed' | 'joined' | 'died'>

export class MemberHost {
  readonly members = new Map<string, Member>()
  readonly spans: EndedSpan[] = []
  readonly exited: Promise<void>
  private readonly child: ChildProcess
  private readonly waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  private calls = 0
  /** Why it is silent, when it is. */
  state: 'running' | 'paused' | 'gone' = 'running'

  constructor(
    private readonly observer: Observer,
    { program, ...options }: HostOptions = {},
  ) {
    this.child = program ? this.startProgram(program) : this.startNode(options)
    const release = this.child.pid ? guard({ pid: this.child.pid }) : () => {}
    this.exited = new Promise(resolve => {
      const gone = () => {
        release()
        this.state = 'gone'
        for (const member of this.members.values()) this.observer.died(member.name, now())
        for (const { reject } of this.waiting.values()) reject(new Error('the process has ended'))
        this.waiting.clear()
        resolve()
      }
      // Not 'exit': what it had written before it died is still to be read.
      this.child.once('close', gone)
      this.child.once('error', gone)
    })
  }

  private startNode({ execPath, ...options }: HostOptions): ChildProcess {
    const child = fork(join(root, 'integration/support/member-process.cjs'), [JSON.stringify(options)], {
      // Out of our process group: Ctrl-C is for us, who then end it.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: ['--expose-gc'],
      ...(execPath ? { execPath } : {}),
    })
    child.on('message', message => this.receive(message as ChildMessage))
    return child
  }

  private startProgram([command, ...args]: string[]): ChildProcess {
    const child = spawn(command!, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
    createInterface({ input: child.stdout }).on('line', line => this.receive(JSON.parse(line) as ChildMessage))
    // It may die while we write; its end is reported by 'close'.
    child.stdin.on('error', () => {})
    return child
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  async consumer(name: string, config: MemberConfig): Promise<Member> {
    const member = new Member(name, config, this)
    this.members.set(name, member)
    await this.call('create', name, { config })
    return member
  }

  call(command: string, consumer: string, args: object = {}): Promise<unknown> {
    const id = ++this.calls
    return new Promise((resolve, reject) => {
      if (this.state === 'gone') return reject(new Error(`${consumer}: the process has ended`))
      this.waiting.set(id, { resolve, reject })
      const message = { id, command, consumer, ...args }
      if (this.child.connected) this.child.send(message, error => error && reject(error))
      else this.child.stdin?.write(`${JSON.stringify(message)}\n`)
    })
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    for (const member of this.members.values()) this.observer.died(member.name, now())
    this.child.kill('SIGKILL')
    await this.exited
  }

  pause(): void {
    this.child.kill('SIGSTOP')
    this.state = 'paused'
  }

  resume(): void {
    this.child.kill('SIGCONT')
    this.state = 'running'
  }

  /** SIGTERM: leaves the group, then ends. */
  async terminate(): Promise<void> {
    this.child.kill('SIGTERM')
    await this.exited
  }

  private receive(message: ChildMessage): void {
    if ('reply' in message) {
      const call = this.waiting.get(message.reply as number)
      this.waiting.delete(message.reply as number)
      if (message.error) call?.reject(new Error(message.error as string))
      else call?.resolve(message.value)
      return
    }
    if ('span' in message) this.spans.push(message.span as EndedSpan)
    else this.members.get(message.consumer)?.receive(message, this.observer)
  }
}

export class Member {
  readonly joins: JoinEvent[] = []
  readonly logs: LogLine[] = []
  readonly callbacks: CallbackEvent[] = []
  readonly commits: CommitEvent[] = []
  readonly heartbeats: HeartbeatEvent[] = []
  readonly crashes: CrashEvent[] = []
  /** Times of kafkajs' REBALANCING events. */
  readonly rebalancing: number[] = []
  /** Rejections of run(). */
  readonly failures: Error[] = []
  private consuming = false
  private joinsBefore = 0

  constructor(
    readonly name: string,
    readonly config: MemberConfig,
    readonly host: MemberHost,
  ) {}

  /** Whether it should be in the group now. */
  get running(): boolean {
    return this.consuming && this.host.state === 'running'
  }

  /** Whether kafkajs has given it up: it will not come back by itself. */
  get dead(): boolean {
    return this.failures.length > 0 || this.crashes.at(-1)?.restart === false
  }

  get memberId(): string | undefined {
    return this.joins.at(-1)?.memberId
  }

  /** Whether it has joined since it was told to run. Before that kafkajs' stop() leaves the joining consumer alive. */
  get joined(): boolean {
    return this.joins.length > this.joinsBefore
  }

  get leader(): boolean {
    return this.joins.at(-1)?.leader ?? false
  }

  get assignment(): Assignment {
    return this.joins.at(-1)?.assignment ?? {}
  }

  /** Connects, subscribes and joins. Does not wait for the join: `Group.settled` does. */
  run(): void {
    this.consuming = true
    this.joinsBefore = this.joins.length
    this.host.call('run', this.name).catch(error => this.failures.push(error))
  }

  async stop(): Promise<void> {
    this.consuming = false
    await this.host.call('stop', this.name)
  }

  async disconnect(): Promise<void> {
    this.consuming = false
    await this.host.call('disconnect', this.name)
  }

  async handlerDelay(ms: number): Promise<void> {
    await this.host.call('delay', this.name, { ms })
  }

  /** From now on a handler of this partition takes `ms`, one in each `everyMs`; null ends it. */
  async slowPartition(slow: SlowPartition | null): Promise<void> {
    await this.host.call('slowPartition', this.name, { slow })
  }

  /** So many calls of the handler throw. */
  async breakHandler(times: number): Promise<void> {
    await this.host.call('breakHandler', this.name, { times })
  }

  async resources(): Promise<Resources> {
    return (await this.host.call('resources', this.name)) as Resources
  }

  kill(): Promise<void> {
    return this.host.kill()
  }

  terminate(): Promise<void> {
    this.consuming = false
    return this.host.terminate()
  }

  pause(): void {
    this.host.pause()
  }

  resume(): void {
    this.host.resume()
  }

  receive({ type, ...message }: { type: string } & Record<string, unknown>, observer: Observer): void {
    const at = message.at as number
    const record = message as unknown as { topic: string; partition: number; offset: number }
    if (type === 'handling') observer.handling(this.name, record, at)
    else if (type === 'handled') observer.handled(this.name, record, at)
    else if (type === 'join') {
      this.joins.push(message as unknown as JoinEvent)
      observer.joined(this.name, at)
    } else if (type === 'commit') {
      this.commits.push(message as unknown as CommitEvent)
      observer.committed(message as unknown as CommitEvent)
    } else if (type === 'log') this.logs.push(message as unknown as LogLine)
    else if (type === 'callback') this.callbacks.push(message as unknown as CallbackEvent)
    else if (type === 'heartbeat') this.heartbeats.push(message as unknown as HeartbeatEvent)
    else if (type === 'crash') this.crashes.push(message as unknown as CrashEvent)
    else if (type === 'rebalancing') this.rebalancing.push(at)
    else throw new Error(`a member reports ${type}, which nobody knows`)
  }
}
