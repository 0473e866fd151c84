import { joinAgain, nothingToFetch } from './aborts'
import type { CurrentAssignment } from './current-assignment'
import { metadata } from './outages'
import type { Parts } from './parts'

/**
 * The beginning of each fetch, where kafkajs looks whether its metadata are due. A fetcher that has nothing to fetch waits
 * here, where it can be woken; and here one of them is made to join again where the assignment could not be changed in
 * place.
 */
export class FetchStart {
  /** The fetcher that begins a fetch in this very tick. */
  private fetching: string | null = null

  constructor(
    private readonly parts: Parts,
    private readonly assignment: CurrentAssignment,
  ) {}

  /** A fetcher is about to ask. */
  announce(node: string): void {
    this.fetching = node
  }

  /** @param refresh what kafkajs wanted: reads the metadata if they are due. */
  async begin(refresh: () => Promise<void>): Promise<void> {
    const { membership, activity, events, placement, outages, naps, options } = this.parts
    const node = this.fetching
    this.fetching = null
    if (!this.assignment.handed || membership.state === 'out') return refresh()
    activity.sign()
    // In a fetch, and without events every call may be one.
    if (node === null && events.found) return refresh()
    if (membership.state === 'expired' && !activity.isStuck) void membership.join('the handlers go on')
    if (placement.takeJoin()) throw joinAgain()
    if (this.hasWork(node)) return outages.tolerate(metadata, refresh)
    // kafkajs would sleep for maxWaitTimeInMs, and neither a stop nor a gained partition could wake it.
    await naps.take(options.fetchMaxWaitMs)
    if (placement.takeJoin()) throw joinAgain()
    await outages.tolerate(metadata, refresh)
    if (!this.hasWork(node)) throw nothingToFetch()
  }

  private hasWork(node: string | null): boolean {
    return this.parts.replicas.anyOn(node, this.parts.fence.active)
  }
}
