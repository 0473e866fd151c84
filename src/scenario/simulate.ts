/** What each strategy makes of the same history: every one goes on from its own last assignment, as a live group would. */

import { plan } from '../planner'
import type { Plan, PlanMember, PlanRequest, Strategy, TopicPartitions } from '../planner/types'
import { type Group, groupsOf, type Member, type Ownership, type Scenario, topicSpec } from './scenario'

/** The consumer that owns each partition, by topic and partition. Null: nobody. */
export type Owners = ReadonlyMap<string, readonly (string | null)[]>

/** One rebalance: what the leader was asked and answered, and who owns what when the members have their assignments. */
export interface Round {
  readonly generation: number
  readonly request: PlanRequest
  readonly plan: Plan
  readonly owners: Owners
  /** Partitions that nobody owns yet, and the consumer that each is meant for. */
  readonly withheld: Owners
}

/** What a rebalance, with its follow-up, does to the partitions that were being read when it began. */
export interface Standstill {
  /** Read on through the rebalance. */
  readonly goOn: number
  /** Stopped, to be read on by the same consumer. */
  readonly returned: number
  /** Stopped, to be read by another consumer, or by nobody. */
  readonly handedOver: number
  /** Without a reader already before: their owner is gone, or they are new. */
  readonly orphaned: number
}

/** What one strategy did at one step. */
export interface Turn {
  readonly strategy: Strategy
  readonly cooperative: boolean
  /** One rebalance; with cooperative-sticky two where partitions change hands; none for an assignment that was given. */
  readonly rounds: readonly Round[]
  readonly before: Owners
  readonly owners: Owners
  readonly kept: number
  readonly moved: number
  readonly transferred: number
  readonly unclaimed: number
  /** The least that a plan of the same balance would have moved from there. */
  readonly minimum: number
  readonly standstill: Standstill
}

export interface History {
  readonly scenario: Scenario
  readonly groups: readonly Group[]
  /** A turn for the start and for each step. */
  readonly turns: ReadonlyMap<Strategy, readonly Turn[]>
}

/** More rounds than this would be a defect: the second one gives out all that the first withheld. */
const MAX_ROUNDS = 4

/**
 * Plays the history with every strategy. What is the same as in an earlier history is taken from it.
 * Throws as `groupsOf` does where a step makes no sense.
 */
export function simulate(scenario: Scenario, strategies: readonly Strategy[], earlier?: History): History {
  const groups = groupsOf(scenario)
  const same = earlier ? sameTurns(scenario, earlier.scenario) : 0
  const turns = strategies.map(strategy => {
    const known = earlier?.turns.get(strategy)?.slice(0, same) ?? []
    return [strategy, play(scenario, groups, strategy, known)] as const
  })
  return { scenario, groups, turns: new Map(turns) }
}

/** How many turns, counted from the start, two histories have in common. */
function sameTurns(scenario: Scenario, other: Scenario): number {
  if (scenario.start !== other.start) return 0
  const firstOther = scenario.steps.findIndex((step, i) => step !== other.steps[i])
  return 1 + (firstOther < 0 ? scenario.steps.length : firstOther)
}

function play(scenario: Scenario, groups: readonly Group[], strategy: Strategy, before: readonly Turn[]): Turn[] {
  const turns = [...before]
  let owners: Owners = turns.at(-1)?.owners ?? new Map()
  let generation = turns.at(-1)?.rounds.at(-1)?.generation ?? (turns.length > 0 ? 1 : 0)
  // Who took part in the last rebalance. Anybody else has no claims, whatever its name owned in an earlier life.
  let known = new Set(turns.length > 0 ? running(groups[turns.length - 1]!).map(({ id }) => id) : [])
  const { owned } = scenario.start
  for (let index = turns.length; index < groups.length; index++) {
    const group = groups[index]!
    for (const action of scenario.steps[index - 1] ?? []) {
      if (action.do === 'join') known.delete(action.consumer.id)
      else if (action.do === 'leave' || action.do === 'crash') known.delete(action.id)
    }
    const given = index === 0 && owned ? givenTurn(strategy, group, owned) : undefined
    const turn = given ?? rebalance(strategy, group, owners, known, generation)
    turns.push(turn)
    owners = turn.owners
    generation = turn.rounds.at(-1)?.generation ?? 1
    known = new Set(running(group).map(({ id }) => id))
  }
  return turns
}

function rebalance(
  strategy: Strategy,
  group: Group,
  before: Owners,
  known: ReadonlySet<string>,
  generation: number,
): Turn {
  const cooperative = strategy === 'cooperative-sticky'
  const rounds: Round[] = []
  let claims = before
  let claimants = known
  for (let followUp = true; followUp; ) {
    const round = leaderPlans(strategy, group, claims, claimants, generation + rounds.length)
    rounds.push(round)
    claims = round.owners
    claimants = new Set(round.plan.memberIds)
    followUp = round.plan.report.withheld > 0
    if (rounds.length > MAX_ROUNDS) throw new Error(`${strategy} does not settle`)
  }
  const sum = (key: 'moved' | 'transferred' | 'unclaimed') =>
    rounds.reduce((total, { plan }) => total + plan.report[key], 0)
  const first = rounds[0]!.plan.report
  const withheld = first.withheld
  return {
    strategy,
    cooperative,
    rounds,
    before,
    owners: claims,
    kept: first.kept,
    moved: sum('moved'),
    // What was withheld had an owner that gave it up, so by the second round nobody claims it any more.
    transferred: sum('transferred') + withheld,
    unclaimed: sum('unclaimed') - withheld,
    minimum: first.minimumMoves,
    standstill: standstill(group, cooperative, before, known, claims),
  }
}

function leaderPlans(
  strategy: Strategy,
  group: Group,
  claims: Owners,
  claimants: ReadonlySet<string>,
  generation: number,
): Round {
  const request: PlanRequest = {
    strategy,
    topics: Object.fromEntries(group.topics.map(topic => [topic.topic, topicSpec(topic)])),
    members: running(group).map(member => {
      const topics = subscription(group, member)
      return claimants.has(member.id)
        ? planMember(member, topics, claimsOf(member.id, topics, claims), generation)
        : planMember(member, topics, [], null)
    }),
  }
  const answer = plan(request)
  return {
    generation: generation + 1,
    request,
    plan: answer,
    owners: ownersOf(group, answer.memberIds, id => answer.assignment(id)),
    withheld: ownersOf(group, answer.memberIds, id => answer.withheld(id)),
  }
}

function planMember(member: Member, topics: string[], owned: TopicPartitions[], generation: number | null): PlanMember {
  return {
    memberId: member.id,
    topics,
    owned: Object.fromEntries(owned.map(({ topic, partitions }) => [topic, partitions])),
    generation,
    rackId: member.rackId || null,
  }
}

/** A member claims what it was given last, as far as it still subscribes to it and it still exists. */
function claimsOf(id: string, topics: readonly string[], owners: Owners): TopicPartitions[] {
  return topics.flatMap(topic => {
    const partitions = (owners.get(topic) ?? []).flatMap((owner, partition) => (owner === id ? [partition] : []))
    return partitions.length > 0 ? [{ topic, partitions }] : []
  })
}

function ownersOf(group: Group, ids: readonly string[], of: (id: string) => TopicPartitions[]): Owners {
  const owners = new Map(
    group.topics.map(({ topic, partitions }) => [topic, Array<string | null>(partitions).fill(null)]),
  )
  for (const id of ids)
    for (const { topic, partitions } of of(id)) for (const p of partitions) owners.get(topic)![p] = id
  return owners
}

function givenTurn(strategy: Strategy, group: Group, owned: Ownership): Turn {
  const given = new Map(
    Object.entries(owned).map(([id, byTopic]) => [
      id,
      Object.entries(byTopic).map(([topic, partitions]) => ({ topic, partitions })),
    ]),
  )
  const owners = ownersOf(group, [...given.keys()], id => given.get(id)!)
  const nothing = { goOn: 0, returned: 0, handedOver: 0, orphaned: 0 }
  const counts = { kept: 0, moved: 0, transferred: 0, unclaimed: 0, minimum: 0 }
  const cooperative = strategy === 'cooperative-sticky'
  return { strategy, cooperative, rounds: [], before: new Map(), owners, ...counts, standstill: nothing }
}

function standstill(
  group: Group,
  cooperative: boolean,
  before: Owners,
  known: ReadonlySet<string>,
  after: Owners,
): Standstill {
  let same = 0
  let handedOver = 0
  let orphaned = 0
  for (const { topic, partitions } of group.topics) {
    for (let p = 0; p < partitions; p++) {
      const from = before.get(topic)?.[p] ?? null
      const to = after.get(topic)?.[p] ?? null
      if (from === null || !known.has(from)) orphaned += to === null ? 0 : 1
      else if (from === to) same++
      else handedOver++
    }
  }
  return { goOn: cooperative ? same : 0, returned: cooperative ? 0 : same, handedOver, orphaned }
}

/** The members that take part in a rebalance. */
export const running = (group: Group): Member[] => group.consumers.filter(({ down }) => !down)

/** The topics that a member subscribes, existing ones only. */
export function subscription(group: Group, consumer: Member): string[] {
  const existing = group.topics.map(({ topic }) => topic)
  return consumer.topics ? existing.filter(topic => consumer.topics!.includes(topic)) : existing
}
