import type { FetchedMessage, FetchResponsePartition } from '../internals'
import type { Ownership } from './fence'
import type { PartitionKey } from './partition-key'

interface Rest {
  readonly ownership: Ownership
  /** Where kafkajs must stand for the rest to be what it needs. */
  readonly from: string
  readonly part: FetchResponsePartition
}

/**
 * Hands a partition's fetched records out in slices and keeps what is left for the next fetches. Bounds how long one
 * partition's backlog holds up the other partitions of a fetcher, and how long a hand-over waits for a running batch.
 */
export class Slices {
  private readonly rests = new Map<PartitionKey, Rest>()

  /** @param maxRecords of one slice; 0 hands out whatever was fetched. */
  constructor(private readonly maxRecords: number) {}

  /** What is left of an earlier answer, if the fetcher goes on exactly there. */
  take(ownership: Ownership, fetchOffset: string): FetchResponsePartition | undefined {
    const rest = this.rests.get(ownership.key)
    if (!rest) return undefined
    this.rests.delete(ownership.key)
    return rest.ownership === ownership && rest.from === fetchOffset ? rest.part : undefined
  }

  /** The first slice of `part`; the rest is kept. */
  cut(ownership: Ownership, fetchOffset: string, part: FetchResponsePartition): FetchResponsePartition {
    const { messages } = part
    // kafkajs filters aborted records by the list of the whole answer: a slice of it would hide committed ones.
    if (this.maxRecords === 0 || !messages || messages.length <= this.maxRecords || part.abortedTransactions?.length)
      return part
    const start = firstWanted(messages, BigInt(fetchOffset))
    // A slice of nothing but records before the position would make kafkajs skip the record that it asked for.
    const wanted = start > 0 && start < messages.length ? messages.slice(start) : messages
    if (wanted.length <= this.maxRecords) return { ...part, messages: wanted }
    const head = wanted.slice(0, this.sliceLength(wanted))
    this.rests.set(ownership.key, {
      ownership,
      from: String(BigInt(head.at(-1)!.offset) + 1n),
      part: { ...part, messages: wanted.slice(head.length) },
    })
    return { ...part, messages: head }
  }

  /** kafkajs' eachMessage stands before a transaction's marker when it has handled the record before it. */
  private sliceLength(messages: readonly FetchedMessage[]): number {
    let length = this.maxRecords
    while (length > 1 && messages[length - 1]!.isControlRecord) length--
    return length
  }

  drop(key: PartitionKey): void {
    this.rests.delete(key)
  }

  clear(): void {
    this.rests.clear()
  }
}

/** A compressed batch comes whole, with the records before the offset that was asked for. */
function firstWanted(messages: readonly FetchedMessage[], fetchOffset: bigint): number {
  const start = messages.findIndex(({ offset }) => BigInt(offset) >= fetchOffset)
  return start < 0 ? messages.length : start
}
