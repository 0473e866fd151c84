import type { OffsetCommitRequest } from '../internals'
import type { CommitFailure } from './commit-gate'
import type { Coordinator } from './coordinator'
import { within } from './deferred'
import { isPassing } from './errors'
import type { Membership } from './membership'

/** Brings commits to the coordinator, and says whether one that failed should be sent again. */
export class CommitSender {
  constructor(
    private readonly coordinator: Coordinator,
    private readonly membership: Membership,
    private readonly hasFailed: () => boolean,
  ) {}

  async send(request: OffsetCommitRequest): Promise<unknown> {
    const sentAt = Date.now()
    const answer = await this.coordinator.request(broker => broker.offsetCommit(request))
    this.membership.contact(sentAt)
    return answer
  }

  /** Waits for what the next attempt needs: the coordinator, or the round that is under way. */
  async mayRetry({ error, generation, attempt, since }: CommitFailure): Promise<boolean> {
    const { membership } = this
    if (isPassing(error)) {
      if (Date.now() - since > membership.sessionTimeout) return false
      await this.coordinator.backOff(attempt)
      return membership.state !== 'out'
    }
    if (!membership.refused(error, generation)) return false
    // Only for the round that refused it. The JoinGroup of a later one may be parked until the slowest member is there, and
    // the coordinator takes commits meanwhile.
    const isOvertaken = membership.generation >= 0 && membership.generation !== generation
    if (!isOvertaken) await within(membership.roundOver(), membership.rebalanceTimeout)
    return membership.state === 'in' && !this.hasFailed()
  }
}
