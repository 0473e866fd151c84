import type { Broker, InstrumentationEmitter, OffsetCommitRequest } from '../internals'

/** Names of kafkajs' events; users know them as `consumer.events`. */
const events = {
  groupJoin: 'consumer.group_join',
  commitOffsets: 'consumer.commit_offsets',
  fetchStart: 'consumer.fetch_start',
  startBatchProcess: 'consumer.start_batch_process',
  endBatchProcess: 'consumer.end_batch_process',
  stop: 'consumer.stop',
  crash: 'consumer.crash',
} as const

export interface GroupJoinPayload {
  groupId: string
  memberId: string
  leaderId: string
  isLeader: boolean
  memberAssignment: Record<string, number[]>
  groupProtocol: string
  duration: number
}

export interface EventHandlers {
  /** kafkajs has joined; `payload.memberAssignment` may be replaced before users see it. False: they do not see it at all. */
  joined(payload: GroupJoinPayload): boolean
  /** A fetcher begins its next fetch, in this same tick. */
  fetching(node: string): void
  /** A handler is about to be given a batch. */
  batchStarted(topic: string, partition: number): void
  /** A batch has ended without an error; its automatic commit has not begun yet. */
  batchEnded(topic: string, partition: number): void
  stopped(): void
  /** After an error, when its connections are closed already. */
  crashed(willRestart: boolean): void
}

/** kafkajs' wrapper keeps the EventEmitter itself under this name. */
interface Inner {
  prependListener?(event: string, listener: (event: { payload: unknown }) => void): unknown
}

/**
 * The consumer's own event emitter. kafkajs hands it to nobody, but every connection that the consumer's cluster builds
 * carries it for its REQUEST events.
 */
export class ConsumerEvents {
  private emitter: InstrumentationEmitter | null = null
  private ours = false

  constructor(
    private readonly handlers: EventHandlers,
    private readonly failed: (error: unknown) => void,
  ) {}

  get found(): boolean {
    return this.emitter !== null
  }

  /** Looks for the emitter at a broker; once it is found there is no need to look again. */
  findAt(broker: Broker): boolean {
    if (this.emitter) return true
    const emitter = broker.connectionPool?.pool?.[0]?.requestQueue?.instrumentationEmitter
    if (typeof emitter?.addListener !== 'function' || typeof emitter.emit !== 'function') return false
    this.emitter = emitter
    this.filterGroupJoin(emitter)
    this.listen(events.fetchStart, payload => this.handlers.fetching(String((payload as { nodeId: unknown }).nodeId)))
    this.listen(events.startBatchProcess, payload => {
      const { topic, partition } = payload as { topic: string; partition: number }
      this.handlers.batchStarted(topic, partition)
    })
    this.listen(events.endBatchProcess, payload => {
      const { topic, partition } = payload as { topic: string; partition: number }
      this.handlers.batchEnded(topic, partition)
    })
    this.listen(events.stop, () => this.handlers.stopped())
    this.listen(events.crash, payload => this.handlers.crashed((payload as { restart: unknown }).restart === true))
    return true
  }

  /** Emits GROUP_JOIN as kafkajs would. */
  emitGroupJoin(payload: GroupJoinPayload): void {
    this.emit(events.groupJoin, payload)
  }

  /** Emits COMMIT_OFFSETS as kafkajs would. */
  emitCommit(payload: OffsetCommitRequest): void {
    this.emit(events.commitOffsets, payload)
  }

  /** A listener cannot keep an event from the others. */
  private filterGroupJoin(emitter: InstrumentationEmitter): void {
    const emit = emitter.emit.bind(emitter)
    emitter.emit = (event, payload) => {
      if (event !== events.groupJoin || this.ours || this.passes(payload as GroupJoinPayload)) emit(event, payload)
    }
  }

  private passes(payload: GroupJoinPayload): boolean {
    try {
      return this.handlers.joined(payload)
    } catch (error) {
      this.failed(error)
      return true
    }
  }

  /** A listener that throws is the user's affair, not the group's. */
  private emit(event: string, payload: unknown): void {
    this.ours = true
    try {
      this.emitter?.emit(event, payload)
    } catch (error) {
      this.failed(error)
    } finally {
      this.ours = false
    }
  }

  /** Before the users' listeners: what they throw kafkajs takes for an error of its own. */
  private listen(event: string, handle: (payload: unknown) => void): void {
    const emitter = this.emitter!
    const listener = (event: { payload: unknown }) => {
      try {
        handle(event.payload)
      } catch (error) {
        this.failed(error)
      }
    }
    const inner = emitter.emitter as Inner | undefined
    if (typeof inner?.prependListener === 'function') inner.prependListener(event, listener)
    else emitter.addListener(event, listener)
  }
}
