import { decodeAssignment } from '../protocol'
import type { ConsumerSession } from './consumer-session'
import { metadataMaxAge } from './topic-watch'

/**
 * On a follower: sees to it that new partitions of its own topics find an owner. A leader that watches all topics of the
 * group, as ours and Java's do, needs no help; others watch only what they read themselves. So the follower gives the
 * leader time, then looks whether somebody owns the new partitions, and only if nobody does asks for a rebalance.
 */
export class GrowthCheck {
  private timer: NodeJS.Timeout | undefined
  /** Partition counts in kafkajs' metadata when the last assignment came. */
  private counts = new Map<string, number>()

  constructor(private readonly session: ConsumerSession) {}

  /** A new assignment has come: what the topics are now, it is taken to cover. */
  planned(): void {
    this.stop()
    this.counts = new Map(this.session.topics.map(topic => [topic, this.session.cachedPartitions(topic)]))
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.counts = new Map()
  }

  /** To be called when kafkajs rejoins outside of a rebalance: it may have seen that a topic grew. */
  schedule(): void {
    const { session } = this
    if (this.timer || session.state.membership?.role !== 'follower' || this.grown().length === 0) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      void this.check()
    }, metadataMaxAge(session.interception.cluster)).unref()
  }

  private grown(): string[] {
    return this.session.topics.filter(topic => this.session.cachedPartitions(topic) > (this.counts.get(topic) ?? 0))
  }

  private async check(): Promise<void> {
    const { session, counts } = this
    const grown = this.grown()
    const owned = await this.ownedPartitions().catch(() => null)
    // A new assignment, or the end, came in between.
    if (counts !== this.counts || session.state.signal) return
    if (!owned) return this.schedule()
    for (const topic of grown)
      for (let partition = this.counts.get(topic) ?? 0; partition < session.cachedPartitions(topic); partition++)
        if (!owned.has(`${topic}-${partition}`)) {
          session.wantsRejoin = `nobody owns the new partitions of topic ${topic}`
          return
        }
    this.planned()
  }

  /** What the coordinator says to be assigned, as "topic-partition"; null if it does not say. */
  private async ownedPartitions(): Promise<ReadonlySet<string> | null> {
    const { interception, groupId } = this.session
    // It may have moved since this member joined.
    const coordinator = await interception.original.findGroupCoordinator({ groupId })
    const answer = await coordinator.describeGroups?.({ groupIds: [groupId] })
    const group = answer?.groups.find(each => each.groupId === groupId)
    if (group?.state !== 'Stable') return null
    const owned = new Set<string>()
    for (const { memberAssignment } of group.members)
      for (const { topic, partitions } of decodeAssignment(memberAssignment).partitions)
        for (const partition of partitions) owned.add(`${topic}-${partition}`)
    return owned
  }
}
