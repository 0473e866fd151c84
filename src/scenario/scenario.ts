/** A group's history as plain data: how it starts, and what happens to it, step by step. */

import type { TopicSpec } from '../planner/types'

export interface Topic {
  readonly topic: string
  readonly partitions: number
  /** Racks of the brokers. Partition p has its replicas in the racks p, p + 1, … of this list, as Kafka deals them. */
  readonly racks?: readonly string[] | undefined
  /** Replicas of each partition; only with `racks`. Default 1. */
  readonly replicas?: number | undefined
}

export interface Consumer {
  readonly id: string
  /** Null: every topic that there is. */
  readonly topics: readonly string[] | null
  readonly rackId?: string | null | undefined
}

export type Action =
  | { readonly do: 'join'; readonly consumer: Consumer }
  /** Closes, and leaves the group. */
  | { readonly do: 'leave'; readonly id: string }
  /** Dies, and is missed when its session times out. It stays in sight, since it can be started again. */
  | { readonly do: 'crash'; readonly id: string }
  /** Starts again after a crash: a new member that owns nothing. */
  | { readonly do: 'restart'; readonly id: string }
  | { readonly do: 'subscribe'; readonly id: string; readonly topics: readonly string[] | null }
  /** A new topic, or more partitions for one that exists. */
  | { readonly do: 'topic'; readonly topic: Topic }
  | { readonly do: 'delete'; readonly topic: string }

/** What happens before one rebalance. Several actions are in time for the same one. */
export type Step = readonly Action[]

export type Ownership = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>

export interface Start {
  readonly topics: readonly Topic[]
  readonly consumers: readonly Consumer[]
  /** An assignment that is there already, by consumer and topic. Without it the group begins with a first rebalance. */
  readonly owned?: Ownership | undefined
}

export interface Scenario {
  readonly start: Start
  readonly steps: readonly Step[]
}

export interface Member extends Consumer {
  readonly down: boolean
}

/** The group after some steps. Consumers stand in the order in which they joined. */
export interface Group {
  readonly topics: readonly Topic[]
  readonly consumers: readonly Member[]
}

export const startOf = (start: Start): Group => ({
  topics: start.topics,
  consumers: start.consumers.map(consumer => ({ ...consumer, down: false })),
})

/** The group after a step. Throws an Error that says which action makes no sense. */
export const apply = (group: Group, step: Step): Group => step.reduce(act, group)

function act(group: Group, action: Action): Group {
  const { topics, consumers } = group
  const change = (verb: string, id: string, down: boolean, make: (consumer: Member) => readonly Member[]): Group => {
    const found = consumers.find(consumer => consumer.id === id)
    if (!found) throw new Error(`${verb} "${id}", who is not in the group`)
    if (found.down !== down) throw new Error(`${verb} "${id}", who is ${found.down ? 'down' : 'running'}`)
    return { topics, consumers: consumers.flatMap(consumer => (consumer === found ? make(consumer) : [consumer])) }
  }
  switch (action.do) {
    case 'join': {
      const { consumer } = action
      if (consumers.some(({ id }) => id === consumer.id)) throw new Error(`adds "${consumer.id}", who is there already`)
      return { topics, consumers: [...consumers, { ...consumer, down: false }] }
    }
    case 'leave': {
      // One that is down has left already: this only clears it away.
      const down = consumers.find(({ id }) => id === action.id)?.down ?? false
      return change('removes', action.id, down, () => [])
    }
    case 'crash':
      return change('crashes', action.id, false, consumer => [{ ...consumer, down: true }])
    case 'restart':
      return change('restarts', action.id, true, consumer => [{ ...consumer, down: false }])
    case 'subscribe':
      return change('resubscribes', action.id, false, consumer => [{ ...consumer, topics: action.topics }])
    case 'topic': {
      const { topic } = action
      const before = topics.find(other => other.topic === topic.topic)
      if (!before) return { topics: [...topics, topic], consumers }
      if (before.partitions >= topic.partitions)
        throw new Error(`grows "${topic.topic}", which has ${before.partitions} partitions already`)
      return { topics: topics.map(other => (other === before ? topic : other)), consumers }
    }
    case 'delete': {
      if (!topics.some(({ topic }) => topic === action.topic))
        throw new Error(`deletes "${action.topic}", which does not exist`)
      return { topics: topics.filter(({ topic }) => topic !== action.topic), consumers }
    }
  }
}

/** The groups before any step and after each; as long as the steps and one more. Throws as `apply` does, naming the step. */
export function groupsOf(scenario: Scenario): Group[] {
  const groups = [startOf(scenario.start)]
  scenario.steps.forEach((step, index) => {
    try {
      groups.push(apply(groups[index]!, step))
    } catch (error) {
      throw new Error(`step ${index + 1} ${(error as Error).message}`)
    }
  })
  return groups
}

/** The same scenario without the actions that make no sense (any more), and without steps that are empty then. */
export function withoutNonsense(scenario: Scenario): Scenario {
  let group = startOf(scenario.start)
  const steps: Step[] = []
  for (const step of scenario.steps) {
    const kept = step.filter(action => {
      try {
        group = act(group, action)
        return true
      } catch {
        return false
      }
    })
    if (kept.length > 0) steps.push(kept)
  }
  return { ...scenario, steps }
}

/** The same start, its assignment cut down to the consumers and partitions that are there. */
export function withoutStrayClaims({ topics, consumers, owned }: Start): Start {
  if (!owned) return { topics, consumers }
  const sizes = new Map(topics.map(({ topic, partitions }) => [topic, partitions]))
  const left = Object.entries(owned).flatMap(([id, byTopic]) => {
    if (!consumers.some(consumer => consumer.id === id)) return []
    const lists = Object.entries(byTopic).map(
      ([topic, list]) => [topic, list.filter(partition => partition < (sizes.get(topic) ?? 0))] as const,
    )
    return [[id, Object.fromEntries(lists.filter(([, list]) => list.length > 0))] as const]
  })
  return { topics, consumers, owned: Object.fromEntries(left) }
}

/** A topic in the planner's words. */
export function topicSpec({ partitions, racks, replicas = 1 }: Topic): TopicSpec {
  if (!racks?.length) return partitions
  const copies = Math.min(replicas, racks.length)
  return Array.from({ length: partitions }, (_, partition) =>
    Array.from({ length: copies }, (_, copy) => racks[(partition + copy) % racks.length]!),
  )
}
