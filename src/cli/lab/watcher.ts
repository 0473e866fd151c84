/** Looks at a live group again and again, and tells a feed what it sees. */

import {
  type ClusterConnection,
  ClusterError,
  type ClusterSettings,
  connectCluster,
  Deadline,
  readGroup,
} from '../../cluster'
import type { Look } from '../../scenario/look'
import { type GroupReport, reportOn } from '../inspect/report'
import type { Feed } from './feed'

/** A group that rebalances is waited for, for half of this; then it is shown as it is. */
const LOOK_MS = 4_000

export class Watcher {
  private connection: ClusterConnection | undefined
  private timer: NodeJS.Timeout | undefined
  private stopped = false

  constructor(
    private readonly settings: ClusterSettings,
    private readonly groupId: string,
    private readonly feed: Feed,
    private readonly intervalMs: number,
  ) {}

  /**
   * Resolves after the first look, and goes on by itself.
   *
   * @throws ClusterError if the group cannot be read at all.
   */
  async start(): Promise<void> {
    try {
      await this.look(this.settings.timeoutMs)
    } catch (error) {
      this.stop()
      throw error
    }
    this.wait()
  }

  stop(): void {
    this.stopped = true
    clearTimeout(this.timer)
    this.disconnect()
  }

  private wait(): void {
    if (this.stopped) return
    this.timer = setTimeout(() => {
      // Nobody looks: nobody asks the brokers either.
      const work = this.feed.hasListeners ? this.lookAgain() : Promise.resolve()
      work.finally(() => this.wait())
    }, this.intervalMs)
  }

  private async lookAgain(): Promise<void> {
    try {
      await this.look(Math.min(LOOK_MS, this.settings.timeoutMs))
    } catch (error) {
      if (this.stopped) return
      if (!(error instanceof ClusterError)) throw error
      this.disconnect()
      this.feed.tell({ name: 'problem', data: error.message })
    }
  }

  private async look(ms: number): Promise<void> {
    const deadline = new Deadline(ms)
    this.connection ??= await connectCluster(this.settings, deadline)
    const group = await readGroup(this.connection, this.groupId, deadline)
    if (!this.stopped) this.feed.tell({ name: 'look', data: lookOf(reportOn(group), Date.now()) })
  }

  /** Not waited for: a broker that does not answer does not answer a farewell either. */
  private disconnect(): void {
    void this.connection?.close()
    this.connection = undefined
  }
}

function lookOf({ groupId, state, protocol, topics, members, notes }: GroupReport, at: number): Look {
  return {
    at,
    groupId,
    state,
    protocol,
    topics,
    notes,
    members: members.map(({ memberId, clientId, host, subscription, assigned, claimed, lag }) => ({
      memberId,
      clientId,
      host,
      topics: subscription.topics,
      rackId: subscription.rackId,
      assigned,
      generation: claimed.generation,
      lag: lag?.records ?? null,
    })),
  }
}
