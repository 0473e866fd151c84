import { list } from '../report/log-lines'
import type { Log } from '../report/logger'
import type { BrokerLayer, Interception } from './intercept'
import { readTopics, topicErrors } from './topic-metadata'
import { metadataMaxAge } from './topic-watch'

/** How often a topic that is gone is looked for, unless the consumer refreshes its metadata more often. */
const retryMs = 30_000

const topicErrorTypes = ['UNKNOWN_TOPIC_OR_PARTITION', 'INVALID_TOPIC_EXCEPTION', 'TOPIC_AUTHORIZATION_FAILED']
const goneCodes: readonly number[] = [topicErrors.unknown, topicErrors.invalid, topicErrors.unauthorized]

/**
 * Keeps a consumer going when a topic of its own subscription is deleted. kafkajs asks for the metadata of all its
 * topics at once and fails if one is unknown: the consumer crashes, again and again, and a leader that fails so leaves
 * its group without a plan. Here the topic is left out of the request, and looked for from time to time.
 *
 * `subscribe()` to a topic that does not exist fails as ever.
 */
export class GoneTopics implements BrokerLayer {
  /** Topics of the subscription that the cluster does not have, or does not show. */
  readonly topics = new Set<string>()
  private subscribing = 0
  private lookAgainAt = 0
  /** False where a bundler renamed what is needed here: kafkajs' own behaviour stays then. */
  private readonly able: boolean

  constructor(
    private readonly interception: Interception,
    private readonly log: () => Log,
  ) {
    const { cluster } = interception
    const subscribe = cluster.addMultipleTargetTopics
    this.able = cluster.targetTopics instanceof Set && typeof subscribe === 'function'
    if (!this.able) return
    cluster.addMultipleTargetTopics = async (topics: string[]) => {
      this.subscribing++
      try {
        await (subscribe as (topics: string[]) => Promise<void>).call(cluster, topics)
        for (const topic of topics) this.topics.delete(topic)
      } finally {
        this.subscribing--
      }
    }
  }

  refreshMetadata(next: () => Promise<void>): Promise<void> {
    if (!this.able) return next()
    this.putBack()
    return this.tolerate(next)
  }

  refreshMetadataIfNecessary(next: () => Promise<void>): Promise<void> {
    if (!this.able) return next()
    if (Date.now() >= this.lookAgainAt) this.putBack()
    return this.tolerate(next)
  }

  private async tolerate(refresh: () => Promise<void>): Promise<void> {
    try {
      await refresh()
    } catch (error) {
      if (this.subscribing > 0 || !topicErrorTypes.includes((error as { type?: string }).type ?? '')) throw error
      await this.leaveOut(error)
    }
    this.forgetThoseBack()
  }

  private async leaveOut(error: unknown): Promise<void> {
    const { cluster, original } = this.interception
    const { failed } = await readTopics(this.interception, cluster.targetTopics!).catch(() => Promise.reject(error))
    const gone = [...cluster.targetTopics!].filter(topic => goneCodes.includes(failed.get(topic) ?? 0))
    const news = gone.filter(topic => !this.topics.has(topic))
    for (const topic of gone) {
      cluster.targetTopics!.delete(topic)
      this.topics.add(topic)
    }
    this.lookAgainAt = Date.now() + Math.min(retryMs, metadataMaxAge(cluster))
    if (news.length > 0)
      this.log().warn(
        { event: 'own-topics-gone', topics: list(news) },
        'Subscribed topics are gone or hidden from this consumer; it goes on without them and looks for them again',
      )
    // An empty list would ask for the metadata of all topics there are.
    if (cluster.targetTopics!.size > 0) await original.refreshMetadata()
  }

  private putBack(): void {
    for (const topic of this.topics) this.interception.cluster.targetTopics!.add(topic)
  }

  private forgetThoseBack(): void {
    for (const topic of this.topics) if (this.interception.cluster.targetTopics!.has(topic)) this.topics.delete(topic)
  }
}
