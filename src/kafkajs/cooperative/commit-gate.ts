import type { CommittedOffsets, OffsetCommitPartition, OffsetCommitRequest } from '../internals'
import type { ForeignCommits } from './choices'
import { deferred, within } from './deferred'
import type { Fence, Ownership } from './fence'
import { keyOf, type PartitionKey } from './partition-key'
import { isSeekCall } from './seek-call'

export interface CommitPorts {
  /** Who commits: of the last successful SyncGroup. */
  identity(): { memberId: string; generation: number }
  /** Sends to the coordinator, once: what is sent again has to be looked at again first. */
  send(request: OffsetCommitRequest): Promise<unknown>
  /**
   * Deals with a failure (waits for the coordinator, joins anew, gives up what is lost) and resolves to true when a retry
   * makes sense. `attempt` counts from 1, `since` is when the commit began.
   */
  mayRetry(failure: CommitFailure): Promise<boolean>
  /** An automatic commit that nobody waited for any more is through. */
  committedBehind(request: OffsetCommitRequest): void
  /** It has failed. */
  failedBehind(error: unknown): void
  foreignCommitError(topic: string, partition: number): Error
  /** A commit of the user's does not cover this partition, since it is not this member's. */
  dropped(topic: string, partition: number): void
}

export interface CommitFailure {
  readonly error: unknown
  /** That the commit carried. */
  readonly generation: number
  readonly attempt: number
  readonly since: number
}

/** How long an automatic commit may hold up the handler loop. */
const writeBehindAfterMs = 100

interface Entry {
  readonly key: PartitionKey
  readonly ownership: Ownership | undefined
  readonly topic: string
  readonly partition: OffsetCommitPartition
}

/**
 * Every commit of the consumer goes through here: it waits while the coordinator would refuse it (from the answer of
 * JoinGroup to that of SyncGroup), leaves out what is not this member's to commit, and carries the real member id and
 * generation. A commit that is sent again never lowers an offset that was sent after it.
 */
export class CommitGate {
  private closed: ReturnType<typeof deferred<void>> | null = null
  private readonly jobs = new Set<Promise<unknown>>()
  private sequence = 0
  /** The last commit of each partition that is under way. */
  private readonly latest = new Map<
    PartitionKey,
    { sequence: number; offset: string; ownership: Ownership | undefined }
  >()

  constructor(
    private readonly fence: Fence,
    private readonly table: CommittedOffsets,
    private readonly foreign: ForeignCommits,
    private readonly ports: CommitPorts,
  ) {}

  close(): void {
    this.closed ??= deferred()
  }

  open(): void {
    this.closed?.resolve()
    this.closed = null
  }

  /** Waits until what was committed so far has been answered, well or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.jobs)
  }

  /** The offset under way for a partition: the coordinator may not know it yet. None of an earlier ownership counts. */
  underWay(key: PartitionKey): string | undefined {
    const latest = this.latest.get(key)
    return latest && latest.ownership === this.fence.ownership(key) ? latest.offset : undefined
  }

  /**
   * Commits what kafkajs asks for. The request object is edited to what was committed: kafkajs emits it as
   * COMMIT_OFFSETS and enters it in its table. An automatic commit that is still under way after a short while returns
   * as if there had been nothing to commit.
   */
  async commit(request: OffsetCommitRequest): Promise<unknown> {
    const kind = this.kindOf(request)
    const automatic = kind === 'automatic'
    const entries = this.admit(request, kind)
    const sent: OffsetCommitRequest = { ...request, topics: byTopic(entries) }
    const job = this.start(sent, entries, kind)
    const outcome = await (automatic ? within(job, writeBehindAfterMs) : job)
    const behind = !outcome || (automatic && 'answer' in outcome && entries.some(entry => this.isOutdated(entry)))
    if (behind) void job.then(late => this.finishBehind(sent, entries, late))
    const { memberId, groupGenerationId, topics } = sent
    Object.assign(request, { memberId, groupGenerationId })
    // kafkajs enters the list that it made itself in its table afterwards, not the request; a user's is left alone.
    if (automatic) request.topics.splice(0, Number.POSITIVE_INFINITY, ...(behind ? [] : topics))
    else request.topics = topics
    if (outcome && 'error' in outcome) throw outcome.error
    return outcome?.answer ?? nothingCommitted
  }

  private start(sent: OffsetCommitRequest, entries: readonly Entry[], kind: Kind): Promise<Outcome> {
    const job: Promise<Outcome> = this.work(sent, entries, kind).then(
      answer => ({ answer }),
      (error: unknown) => ({ error }),
    )
    this.jobs.add(job)
    void job.then(() => this.jobs.delete(job))
    return job
  }

  /** What of the request is this member's to commit. */
  private admit(request: OffsetCommitRequest, kind: Kind): Entry[] {
    const automatic = kind === 'automatic'
    const admitted: Entry[] = []
    for (const { topic, partitions } of request.topics)
      for (const partition of partitions) {
        const key = keyOf(topic, partition.partition)
        const ownership = this.fence.ownership(key)
        const running = this.fence.delivery(key)
        if (!ownership || (running && running.ownership !== ownership)) {
          if (!automatic) this.refuse(topic, partition, kind)
          // kafkajs proposes it with every automatic commit until it believes it committed.
          if (automatic && !ownership) this.enter(topic, partition)
          continue
        }
        // What kafkajs proposes may be a position of an earlier ownership; what the user says is meant as it stands.
        if (automatic && !(ownership.activated && ownership.positionTrusted)) continue
        if (running) running.progressAt = Date.now()
        admitted.push({ key, ownership, topic, partition })
      }
    return admitted
  }

  private sign(request: OffsetCommitRequest): { memberId: string; generation: number } {
    const identity = this.ports.identity()
    request.memberId = identity.memberId
    request.groupGenerationId = identity.generation
    return identity
  }

  /** Leaves in `request` what was sent in the end. */
  private async work(request: OffsetCommitRequest, entries: readonly Entry[], kind: Kind): Promise<unknown> {
    this.sign(request)
    if (entries.length === 0) return nothingCommitted
    const sequence = ++this.sequence
    for (const { key, ownership, partition } of entries)
      this.latest.set(key, { sequence, ownership, offset: String(partition.offset) })
    const since = Date.now()
    try {
      for (let attempt = 1; ; attempt++) {
        while (this.closed) await this.closed.promise
        const current = this.stillDue(entries, sequence, kind)
        request.topics = byTopic(current)
        if (current.length === 0) return nothingCommitted
        const { generation } = this.sign(request)
        try {
          return await this.ports.send({ ...request })
        } catch (error) {
          if (!(await this.ports.mayRetry({ error, generation, attempt, since }))) throw error
        }
      }
    } finally {
      for (const { key } of entries) if (this.latest.get(key)?.sequence === sequence) this.latest.delete(key)
    }
  }

  /** Without what was lost meanwhile, and what a later commit has overtaken. */
  private stillDue(entries: readonly Entry[], sequence: number, kind: Kind): Entry[] {
    const owned = entries.filter(({ key, ownership }) => this.fence.ownership(key) === ownership)
    if (kind !== 'automatic')
      for (const entry of entries) if (!owned.includes(entry)) this.refuse(entry.topic, entry.partition, kind)
    return owned.filter(({ key }) => this.latest.get(key)?.sequence === sequence)
  }

  private refuse(topic: string, { partition, offset }: OffsetCommitPartition, kind: Kind): void {
    // A negative one is no user's: kafkajs resets what is out of range, and would end for good on an error.
    if (this.foreign === 'throw' && kind === 'user' && !String(offset).startsWith('-'))
      throw this.ports.foreignCommitError(topic, Number(partition))
    this.ports.dropped(topic, Number(partition))
  }

  private finishBehind(sent: OffsetCommitRequest, entries: readonly Entry[], outcome: Outcome): void {
    if ('error' in outcome) this.ports.failedBehind(outcome.error)
    else if (sent.topics.length > 0) {
      const committed = new Set(sent.topics.flatMap(({ partitions }) => partitions))
      for (const entry of entries)
        if (committed.has(entry.partition) && !this.isOutdated(entry)) this.enter(entry.topic, entry.partition)
      this.ports.committedBehind(sent)
    }
  }

  /**
   * Of a commit that is through: a later one is under way, or the partition has changed hands. When kafkajs joins it
   * forgets how far it is, and begins at what its table holds if that holds something.
   */
  private isOutdated({ key, ownership }: Entry): boolean {
    return this.latest.has(key) || this.fence.ownership(key) !== ownership
  }

  private kindOf(request: OffsetCommitRequest): Kind {
    if (isAutomatic(request)) return 'automatic'
    return this.foreign === 'throw' && isSeekCall() ? 'seek' : 'user'
  }

  private enter(topic: string, { partition, offset }: OffsetCommitPartition): void {
    const offsets = this.table[topic]
    if (offsets) offsets[String(partition)] = String(offset)
  }
}

/** Whose a commit is. A seek is kafkajs' in its next fetch: an error would end the consumer, and no handler could catch it. */
type Kind = 'automatic' | 'user' | 'seek'

type Outcome = { readonly answer: unknown } | { readonly error: unknown }

const nothingCommitted = { responses: [] }

/** OffsetManager.uncommittedOffsets gives partition ids as strings; seeks, resets and users give numbers. */
function isAutomatic({ topics }: OffsetCommitRequest): boolean {
  return topics.every(({ partitions }) => partitions.every(({ partition }) => typeof partition === 'string'))
}

function byTopic(entries: readonly Entry[]): OffsetCommitRequest['topics'] {
  const topics = new Map<string, OffsetCommitPartition[]>()
  for (const { topic, partition } of entries) {
    const partitions = topics.get(topic)
    if (partitions) partitions.push(partition)
    else topics.set(topic, [partition])
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }))
}
