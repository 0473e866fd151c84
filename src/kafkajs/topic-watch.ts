import type { Log } from '../report/logger'
import { describeError } from './callbacks'
import type { Cluster } from './internals'
import { type TopicState, type TopicStates, topicErrors } from './topic-metadata'

/** kafkajs' own default of `metadataMaxAge`. */
const defaultIntervalMs = 300_000

/**
 * On the leader: watches every topic that it planned, also those that it does not read itself, and says when one has
 * other partitions than planned for. kafkajs watches a consumer's own topics only. Looks as often as the consumer
 * refreshes its metadata (`metadataMaxAge`).
 */
export class TopicWatch {
  private timer: NodeJS.Timeout | undefined
  private planned: ReadonlyMap<string, TopicState | null> = new Map()
  private racksMatter = false

  constructor(
    private readonly read: (topics: Iterable<string>) => Promise<TopicStates>,
    private readonly intervalMs: number,
    private readonly log: () => Log,
    private readonly onChange: (reason: string) => void,
  ) {}

  /** Starts over with what a new plan was made for; `planned` maps a topic that was missing to null. */
  start(planned: ReadonlyMap<string, TopicState | null>, racksMatter: boolean): void {
    this.stop()
    this.planned = planned
    this.racksMatter = racksMatter
    if (planned.size > 0) this.schedule()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.planned = new Map()
  }

  /** Looks now. Resolves when it has looked; never rejects. */
  async check(): Promise<void> {
    const { planned } = this
    if (planned.size === 0) return
    try {
      const now = await this.read(planned.keys())
      // A new plan, or the end, came in between.
      if (planned !== this.planned) return
      const reason = this.firstChange(now)
      if (!reason) return
      this.stop()
      this.onChange(reason)
    } catch (error) {
      this.log().warn(
        { event: 'topic-watch-failed', error: describeError(error) },
        'Could not look for new partitions of the topics of the group; the next look is due as usual',
      )
    }
  }

  private schedule(): void {
    this.timer = setTimeout(async () => {
      const { planned } = this
      await this.check()
      if (planned === this.planned && this.timer) this.schedule()
    }, this.intervalMs).unref()
  }

  private firstChange({ found, failed }: TopicStates): string | undefined {
    for (const [topic, before] of this.planned) {
      const now = found.get(topic)
      if (!now) {
        if (before && failed.get(topic) === topicErrors.unknown) return `topic ${topic} is gone`
        continue
      }
      if (!before) return `topic ${topic} has appeared`
      if (now.racks.length !== before.racks.length)
        return `topic ${topic} went from ${before.racks.length} to ${now.racks.length} partitions`
      if (this.racksMatter && !sameRacks(now, before)) return `replicas of topic ${topic} moved to other racks`
    }
    return undefined
  }
}

/** How often a consumer refreshes its metadata, where kafkajs' broker pool tells. */
export function metadataMaxAge(cluster: Cluster): number {
  const age = cluster.brokerPool?.metadataMaxAge
  return typeof age === 'number' && age > 0 && age < 2 ** 31 ? age : defaultIntervalMs
}

const sameRacks = (a: TopicState, b: TopicState) =>
  a.racks.every((racks, partition) => {
    const other = b.racks[partition]!
    return racks.length === other.length && racks.every(rack => other.includes(rack))
  })
