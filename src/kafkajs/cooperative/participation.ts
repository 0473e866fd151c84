import type { Broker, JoinGroupRequest } from '../internals'
import { notInPlace, stoppedWhileJoining } from './aborts'
import type { CurrentAssignment } from './current-assignment'
import { type Deferred, deferred, within } from './deferred'
import { generationOf } from './fence'
import { canBuildConnections } from './own-connection'
import type { Parts } from './parts'
import { cooperativeName } from './subscription'

/** A joiner gets its partitions in the second round; kafkajs is kept waiting for that, for so long. */
const followUpMs = 2000
const emitterName = "the consumer's event emitter"
/** How long an end of the consumer waits for commits that are under way. */
const lastCommitsMs = 2000

/** A consumer's part in its group, from the first join of a run to its end. */
export class Participation {
  private mode: 'undecided' | 'cooperative' | 'eager' = 'undecided'
  private firstJoin: Deferred<never> | null = null
  private leaving: Promise<void> | null = null
  private failure: { error: unknown } | null = null

  constructor(
    private readonly parts: Parts,
    private readonly assignment: CurrentAssignment,
  ) {}

  /** Whether this consumer takes part cooperatively; false until it joins, and where it is eager. */
  get cooperates(): boolean {
    return this.mode === 'cooperative'
  }

  get isJoiningFirst(): boolean {
    return this.firstJoin !== null
  }

  get hasFailed(): boolean {
    return this.failure !== null
  }

  /** An error that joining again does not cure: kafkajs gets it with its next question. */
  failed(error: unknown): void {
    this.failure = { error }
    this.parts.naps.wake()
  }

  throwFailure(): void {
    if (this.failure) throw this.failure.error
  }

  /** Resolves when an end that is under way is through. */
  async ended(): Promise<void> {
    await this.leaving
  }

  /** Cooperative only if nothing but this assigner is in the consumer's list, and kafkajs shows what that needs. */
  async decide({ groupProtocols }: JoinGroupRequest): Promise<void> {
    const { session, reporter } = this.parts
    if (!groupProtocols.every(({ name }) => name === cooperativeName)) this.mode = 'eager'
    else if (await canBuildConnections(session.interception.cluster)) this.mode = 'cooperative'
    else {
      if (this.mode !== 'eager') reporter.eagerInstead('what connections of its own are built with')
      this.mode = 'eager'
    }
  }

  /** Joins for the first time in this run of the consumer. Resolves when kafkajs should go on. */
  async begin({ groupId, sessionTimeout, rebalanceTimeout }: JoinGroupRequest, broker: Broker): Promise<void> {
    const { activity, probe, replicas, outages, handover, events, options, placement } = this.parts
    this.failure = null
    this.assignment.startOver()
    activity.startOver()
    probe.forget()
    replicas.clear()
    outages.clear()
    handover.start()
    if (!events.findAt(broker)) {
      if (options.tier === 'in-place') throw notInPlace(emitterName)
      placement.fallBack(emitterName)
    }
    const stopped = deferred<never>()
    this.firstJoin = stopped
    try {
      await Promise.race([this.firstAssignment({ groupId, sessionTimeout, rebalanceTimeout }), stopped.promise])
    } finally {
      this.firstJoin = null
    }
  }

  /**
   * Ends this member's part in the group, once. One that comes back at once, since kafkajs restarts it, does not leave:
   * within its session it finds what it had.
   */
  end(comesBack = false): Promise<void> {
    if (this.parts.membership.state === 'out') return this.leaving ?? Promise.resolve()
    this.leaving = this.leave(comesBack).finally(() => {
      this.leaving = null
    })
    return this.leaving
  }

  /**
   * After an end from which it was to come back, and does not. A new run of the consumer waits for this too: it would be
   * told off for the old one.
   */
  async stayAway(): Promise<void> {
    await this.leaving
    const { membership } = this.parts
    if (membership.state !== 'out' || !membership.memberId) return
    this.leaving = membership.leave().finally(() => {
      this.leaving = null
    })
    await this.leaving
  }

  /** The first round, and the second one if the first gave nothing because others had to give it up first. */
  private async firstAssignment(config: { groupId: string; sessionTimeout: number; rebalanceTimeout: number }) {
    const { membership, naps, callbacks } = this.parts
    await membership.start(config)
    const until = Date.now() + followUpMs
    while (this.awaitsFollowUp() && Date.now() < until) await naps.take(until - Date.now())
    await callbacks.idle()
  }

  private awaitsFollowUp(): boolean {
    const { membership, fence, session, reporter } = this.parts
    if (this.failure || membership.state === 'out' || session.topics.length === 0) return false
    if (fence.assigned.length > 0) return false
    return membership.isJoining || !membership.isLeader || reporter.lastWithheld > 0
  }

  private async leave(comesBack: boolean): Promise<void> {
    const { session, membership, growth, naps, handover, commits, fence, callbacks, slices, live } = this.parts
    const mayCommit = !comesBack && membership.state === 'in' && membership.leaseHolds
    membership.halt()
    session.watch.stop()
    growth.stop()
    this.firstJoin?.reject(stoppedWhileJoining())
    naps.wake()
    await handover.stop()
    await within(commits.settled(), lastCommitsMs)
    const held = [...fence.owned].map(key => fence.ownership(key)!).filter(each => !each.revocationTold)
    await callbacks.run(mayCommit ? 'onPartitionsRevoked' : 'onPartitionsLost', held, generationOf(held))
    await within(commits.settled(), lastCommitsMs)
    if (comesBack) await membership.close()
    else await membership.leave()
    fence.lose()
    slices.clear()
    live.release()
    commits.open()
    session.state.left(comesBack ? 'connected anew' : 'left the group')
  }
}
