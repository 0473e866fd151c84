import { planInSlices } from '../planner'
import type { PlanReport, Strategy } from '../planner/types'
import { tracePlan } from '../report/channels'
import { list } from '../report/log-lines'
import type { GroupPlanReport } from '../report/rebalance-report'
import { describeError } from './callbacks'
import type { ConsumerSession } from './consumer-session'
import { type GroupInput, readGroupInput } from './group-input'
import { encodeFallback, encodePlan, fallbackReport, planRequest, planRoundRobin } from './group-plan'
import type { GroupMember, MemberAssignment } from './internals'
import { MembershipMemory } from './membership-changes'
import { TopicMemory } from './topic-changes'
import { type TopicState, topicErrors } from './topic-metadata'
import { pause } from './turns'

/** Plans for the whole group while this consumer is its leader. */
export class GroupLeader {
  /** Times that planning failed and a plain round robin was sent. */
  planFailures = 0
  private pending: GroupPlanReport | null = null
  /** Topics as they were read last: used if no broker answers. */
  private knownTopics = new Map<string, TopicState>()
  private readonly memory = new MembershipMemory()
  private readonly topicMemory = new TopicMemory()
  private readonly warnedMembers = new Set<string>()
  private readonly warnedTopics = new Set<string>()

  constructor(private readonly session: ConsumerSession) {}

  /** SyncGroup's assignments for every member. Never throws. */
  async assign(strategy: Strategy, members: readonly GroupMember[]): Promise<MemberAssignment[]> {
    // A join that was answered from memory: the plan that is in force, and what was learnt with it, stay.
    if (members.length === 0) return []
    this.pending = null
    const start = performance.now()
    let input: GroupInput | undefined
    let topics: ReadonlyMap<string, TopicState> = new Map()
    try {
      input = await readGroupInput(members, strategy)
      this.warnOfMembers(input)
      topics = await this.readTopics(input.topics)
      const request = planRequest(strategy, input, topics)
      const trace = { groupId: this.session.groupId, strategy, members: members.length }
      const plan = await tracePlan(trace, () => planInSlices(request, pause))
      const assignments = await encodePlan(plan)
      this.pending = this.report(plan.report, input, topics, performance.now() - start, false)
      this.session.watch.start(watched(input, topics), input.racksMatter)
      return assignments
    } catch (error) {
      this.planFailed(strategy, error)
    }
    try {
      return this.assignInTurn(members, input, topics, strategy, start)
    } catch {
      return encodeFallback(new Map(members.map(({ memberId }) => [memberId, []])))
    }
  }

  /** The report on the last plan, once; null if there is none. */
  takePlan(): GroupPlanReport | null {
    const plan = this.pending
    this.pending = null
    return plan
  }

  private planFailed(strategy: Strategy, error: unknown): void {
    this.planFailures++
    this.session.log.error(
      {
        event: 'plan-failed',
        groupId: this.session.groupId,
        strategy,
        failures: this.planFailures,
        error: describeError(error),
      },
      'Planning failed; every member gets a plain round robin over its subscription instead',
    )
  }

  private assignInTurn(
    members: readonly GroupMember[],
    input: GroupInput | undefined,
    topics: ReadonlyMap<string, TopicState>,
    strategy: Strategy,
    start: number,
  ): MemberAssignment[] {
    const planMembers = input?.members ?? members.map(({ memberId }) => ({ memberId, topics: [] }))
    const byMember = planRoundRobin(planMembers, topics)
    if (input) {
      const plan = fallbackReport(strategy, byMember)
      this.pending = this.report(plan, input, topics, performance.now() - start, true)
      this.session.watch.start(watched(input, topics), input.racksMatter)
    }
    return encodeFallback(byMember)
  }

  private report(
    plan: PlanReport,
    input: GroupInput,
    topics: ReadonlyMap<string, TopicState>,
    planMs: number,
    fallback: boolean,
  ): GroupPlanReport {
    return {
      ...plan,
      planMs,
      fallback,
      unreadableMembers: input.unreadable,
      ...this.memory.changes(input.members),
      ...this.topicMemory.changes(input.topics, topics),
    }
  }

  private async readTopics(topics: ReadonlySet<string>): Promise<ReadonlyMap<string, TopicState>> {
    const { log, groupId } = this.session
    try {
      const { found, failed } = await this.session.readTopics(topics)
      const usable = new Map(found)
      for (const [topic, code] of failed) {
        const known = this.knownTopics.get(topic)
        if (known && code !== topicErrors.unknown) usable.set(topic, known)
      }
      this.knownTopics = usable
      this.warnOfTopics(failed, usable)
      return usable
    } catch (error) {
      for (const topic of topics) this.rememberCached(topic)
      log.warn(
        { event: 'metadata-failed', groupId, error: describeError(error) },
        'No broker told the partitions of the topics of the group; planning with what was known before',
      )
      return this.knownTopics
    }
  }

  private rememberCached(topic: string): void {
    const partitions = this.session.cachedPartitions(topic)
    if (partitions > 0 && !this.knownTopics.has(topic))
      this.knownTopics.set(topic, { racks: Array.from({ length: partitions }, () => []) })
  }

  private warnOfTopics(failed: ReadonlyMap<string, number>, usable: ReadonlyMap<string, TopicState>): void {
    for (const topic of this.warnedTopics) if (usable.has(topic)) this.warnedTopics.delete(topic)
    const fresh = [...failed].filter(([topic]) => !usable.has(topic) && !this.warnedTopics.has(topic))
    if (fresh.length === 0) return
    for (const [topic] of fresh) this.warnedTopics.add(topic)
    const described = fresh.map(([topic, code]) => `${topic.slice(0, 249)} (${codeInWords(code)})`)
    this.session.log.warn(
      { event: 'topics-missing', groupId: this.session.groupId, topics: list(described) },
      'Subscribed topics without partitions; nobody is assigned any of them, all others are planned',
    )
  }

  private warnOfMembers({ unreadable, members }: GroupInput): void {
    const ids = new Set(members.map(({ memberId }) => memberId))
    for (const memberId of this.warnedMembers) if (!ids.has(memberId)) this.warnedMembers.delete(memberId)
    for (const { memberId, reason, topicsKnown } of unreadable) {
      if (this.warnedMembers.has(memberId)) continue
      this.warnedMembers.add(memberId)
      this.session.log.warn(
        { event: 'member-unreadable', groupId: this.session.groupId, memberId, reason },
        topicsKnown
          ? `Member ${memberId} sent metadata that can be read in part (${reason}); it takes part without its claims`
          : `Member ${memberId} sent metadata that cannot be read (${reason}); it gets no partitions`,
      )
    }
  }
}

function watched(input: GroupInput, topics: ReadonlyMap<string, TopicState>): Map<string, TopicState | null> {
  return new Map([...input.topics].map(topic => [topic, topics.get(topic) ?? null]))
}

function codeInWords(code: number): string {
  if (code === topicErrors.unknown) return 'does not exist'
  if (code === topicErrors.invalid) return 'not a legal name'
  if (code === topicErrors.unauthorized) return 'this consumer may not describe it'
  if (code === topicErrors.leaderNotAvailable) return 'being created'
  return `error code ${code}`
}
