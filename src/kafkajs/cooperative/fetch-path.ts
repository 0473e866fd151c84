import type {
  Broker,
  CommittedOffsets,
  FetchRequest,
  FetchRequestPartition,
  FetchResponse,
  FetchResponsePartition,
} from '../internals'
import { nextMacrotask } from './deferred'
import type { Fence, Ownership } from './fence'
import { gateMessages, type LoopProbe } from './gated-messages'
import { keyOf, type PartitionKey } from './partition-key'
import type { Slices } from './slices'

export interface FetchPorts {
  /** False while this member may have been given up by the coordinator. */
  leaseHolds(): boolean
  /** kafkajs does something: it is not stuck. */
  active(): void
  /** Waits a moment, or until there is something new. */
  idle(): Promise<void>
  /** A fetcher asks for these partitions. */
  requested(node: string, keys: ReadonlySet<PartitionKey>): void
  /** A broker names the replica that this partition should be read from. */
  preferred(key: PartitionKey, node: number): void
}

interface Wanted {
  readonly topic: string
  readonly ownership: Ownership
  readonly asked: FetchRequestPartition
}

/**
 * What kafkajs fetches: only partitions that are this member's now, in slices, each noted as being worked on until its
 * batch has ended. An answer for a partition that has been given up meanwhile does not reach kafkajs.
 */
export class FetchPath {
  /** Answers held back because the partition had been given up while they were under way. */
  discarded = 0
  /** Positions of an earlier ownership that were replaced by the committed ones. */
  seeks = 0

  constructor(
    private readonly fence: Fence,
    private readonly slices: Slices,
    private readonly table: CommittedOffsets,
    private readonly probe: LoopProbe,
    private readonly maxWaitMs: number,
    private readonly ports: FetchPorts,
  ) {}

  async fetch(
    next: (request: FetchRequest) => Promise<FetchResponse>,
    request: FetchRequest,
    broker: Broker,
  ): Promise<FetchResponse> {
    const node = String(broker.nodeId)
    this.ports.active()
    this.ports.requested(
      node,
      new Set(request.topics.flatMap(({ topic, partitions }) => partitions.map(each => keyOf(topic, each.partition)))),
    )
    if (!this.ports.leaseHolds()) {
      await this.ports.idle()
      return { responses: [] }
    }
    const seeks: Answer[] = []
    const kept: Answer[] = []
    const wanted: Wanted[] = []
    for (const { topic, partitions } of request.topics)
      for (const asked of partitions) {
        const ownership = this.fence.ownership(keyOf(topic, asked.partition))
        if (!ownership || !this.fence.mayFetch(ownership.key, node)) continue
        const want = { topic, ownership, asked }
        const seek = this.seekFor(want)
        if (seek) seeks.push({ ...want, part: seek })
        else {
          const rest = this.slices.take(ownership, String(asked.fetchOffset))
          if (rest) kept.push({ ...want, part: rest })
          else wanted.push(want)
        }
      }
    if (seeks.length > 0) return { responses: this.hand([...seeks, ...kept], node) }
    if (wanted.length === 0) {
      if (kept.length === 0) await this.ports.idle()
      // A loop over what is at hand must leave room for timers and sockets.
      else await nextMacrotask()
      return { responses: this.hand(kept, node) }
    }
    const maxWaitTime = kept.length > 0 ? 0 : Math.min(request.maxWaitTime, this.maxWaitMs)
    const response = await next({ ...request, topics: requestTopics(wanted), maxWaitTime })
    return { ...response, responses: this.hand([...kept, ...this.answers(response, wanted)], node) }
  }

  /** Pairs each answered partition with the ownership for which it was asked. */
  private answers({ responses }: FetchResponse, wanted: readonly Wanted[]): Answer[] {
    const asked = new Map(wanted.map(want => [want.ownership.key, want]))
    return responses.flatMap(({ topicName, partitions }) =>
      partitions.flatMap(part => {
        const key = keyOf(topicName, part.partition)
        const want = asked.get(key)
        const { preferredReadReplica } = part
        if (preferredReadReplica != null && preferredReadReplica >= 0) this.ports.preferred(key, preferredReadReplica)
        return want ? [{ ...want, part }] : []
      }),
    )
  }

  /** What of it still is this member's, in the shape of a response. */
  private hand(answers: readonly Answer[], node: string): FetchResponse['responses'] {
    const byTopic = new Map<string, FetchResponsePartition[]>()
    for (const { topic, ownership, asked, part } of answers) {
      if (!this.fence.holds(ownership) || !this.fence.mayFetch(ownership.key, node)) {
        if (part.messages?.length) this.discarded++
        continue
      }
      const partitions = byTopic.get(topic) ?? []
      byTopic.set(topic, partitions)
      partitions.push(this.deliver(ownership, String(asked.fetchOffset), part, node))
    }
    return [...byTopic].map(([topicName, partitions]) => ({ topicName, partitions }))
  }

  private deliver(
    ownership: Ownership,
    fetchOffset: string,
    part: FetchResponsePartition,
    node: string,
  ): FetchResponsePartition {
    if (!part.messages?.length) return part
    const slice = this.slices.cut(ownership, fetchOffset, part)
    const delivery = this.fence.deliver(ownership, node)
    const reader = {
      mayContinue: () => this.fence.holds(ownership) && ownership.phase !== 'draining' && this.ports.leaseHolds(),
      taken: () => {
        delivery.progressAt = Date.now()
      },
    }
    // Batch filters by offset, then by control records, and by aborted transactions in between if there are any.
    const filters = part.abortedTransactions?.length ? 3 : 2
    const gated = gateMessages(slice.messages, filters, this.probe, reader)
    delivery.withdraw = gated.withdraw
    return { ...slice, messages: gated.messages }
  }

  /**
   * An answer that moves kafkajs to the committed offset without a call of the handler, where it still stands at the
   * position of an earlier ownership: a batch of one control record just before. Undefined if it stands right.
   */
  private seekFor({ topic, ownership, asked }: Wanted): FetchResponsePartition | undefined {
    if (ownership.positionTrusted) return undefined
    const committed: unknown = this.table[topic]?.[String(asked.partition)]
    if (
      committed === undefined ||
      BigInt(String(committed)) < 0n ||
      BigInt(String(committed)) === BigInt(asked.fetchOffset)
    ) {
      ownership.positionTrusted = true
      return undefined
    }
    this.seeks++
    const before = String(BigInt(String(committed)) - 1n)
    // kafkajs builds its batch from the offset in its own request object.
    asked.fetchOffset = before
    return {
      partition: asked.partition,
      errorCode: 0,
      highWatermark: String(committed),
      lastStableOffset: String(committed),
      abortedTransactions: [],
      preferredReadReplica: -1,
      messages: [
        {
          offset: before,
          isControlRecord: true,
          key: null,
          value: null,
          timestamp: '0',
          headers: {},
          batchContext: {},
        },
      ],
    }
  }
}

interface Answer extends Wanted {
  readonly part: FetchResponsePartition
}

function requestTopics(wanted: readonly Wanted[]): FetchRequest['topics'] {
  const topics = new Map<string, FetchRequestPartition[]>()
  for (const { topic, asked } of wanted) {
    const partitions = topics.get(topic)
    if (partitions) partitions.push(asked)
    else topics.set(topic, [asked])
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }))
}
