/** Looks at a live group, one after the other, and what changed between two of them. Plain data that travels as JSON. */

import type { Scenario } from './scenario'

type PartitionsByTopic = Readonly<Record<string, readonly number[]>>

export interface Look {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly groupId: string
  /** `Stable` or `Empty`; in any other state the group rebalances, and brokers tell no assignments. */
  readonly state: string
  readonly protocol: string
  /** Partition counts; 0 for a topic that does not exist. */
  readonly topics: Readonly<Record<string, number>>
  readonly members: readonly LookMember[]
  /** What could not be read, for people. */
  readonly notes: readonly string[]
}

export interface LookMember {
  readonly memberId: string
  readonly clientId: string
  readonly host: string
  readonly topics: readonly string[]
  readonly rackId: string | null
  readonly assigned: PartitionsByTopic
  /** Generation of what it claimed when it last joined. */
  readonly generation: number | null
  /** Records still to read; null if unknown. */
  readonly lag: number | null
}

/** What is different from one look to the next. A partition that moved twice meanwhile counts once, or not at all. */
export interface Change {
  readonly joined: readonly string[]
  readonly left: readonly string[]
  readonly kept: number
  readonly moved: readonly Move[]
  /** Moved from a member that is still there. */
  readonly transferred: number
  /** Owned by somebody before, and by nobody now. */
  readonly dropped: number
}

export interface Move {
  readonly topic: string
  readonly partition: number
  readonly from: string | null
  readonly to: string
}

/** Whether a look tells who owns what. */
export const isSettled = ({ state }: Look): boolean => state === 'Stable' || state === 'Empty'

export function between(before: Look, after: Look): Change {
  const idsBefore = new Set(before.members.map(({ memberId }) => memberId))
  const ids = new Set(after.members.map(({ memberId }) => memberId))
  const ownersBefore = ownersOf(before)
  const owners = ownersOf(after)
  const moved: Move[] = []
  let kept = 0
  for (const { topic, partition, owner } of owners.values()) {
    const from = ownersBefore.get(keyOf(topic, partition))?.owner ?? null
    if (from === owner) kept++
    else moved.push({ topic, partition, from, to: owner })
  }
  return {
    joined: [...ids].filter(id => !idsBefore.has(id)),
    left: [...idsBefore].filter(id => !ids.has(id)),
    kept,
    moved,
    transferred: moved.filter(({ from }) => from !== null && ids.has(from)).length,
    dropped: [...ownersBefore.keys()].filter(key => !owners.has(key)).length,
  }
}

export const changesNothing = ({ joined, left, moved, dropped }: Change): boolean =>
  joined.length + left.length + moved.length + dropped === 0

const keyOf = (topic: string, partition: number): string => `${partition} ${topic}`

function ownersOf({ members }: Look) {
  const owners = new Map<string, { topic: string; partition: number; owner: string }>()
  for (const { memberId, assigned } of members)
    for (const [topic, partitions] of Object.entries(assigned))
      for (const partition of partitions) owners.set(keyOf(topic, partition), { topic, partition, owner: memberId })
  return owners
}

/** The group that was looked at as the start of a scenario. */
export function scenarioOf({ topics, members }: Look): Scenario {
  const existing = Object.entries(topics).filter(([, partitions]) => partitions > 0)
  const isRead = (topic: string) => members.some(member => member.topics.includes(topic))
  const names = existing.map(([topic]) => topic).filter(isRead)
  return {
    start: {
      topics: existing.flatMap(([topic, partitions]) => (isRead(topic) ? [{ topic, partitions }] : [])),
      consumers: members.map(({ memberId, topics, rackId }) => ({
        id: memberId,
        topics: names.every(topic => topics.includes(topic)) ? null : topics.filter(topic => names.includes(topic)),
        ...(rackId && { rackId }),
      })),
      owned: Object.fromEntries(
        members.map(({ memberId, assigned }) => [
          memberId,
          Object.fromEntries(Object.entries(assigned).filter(([topic]) => names.includes(topic))),
        ]),
      ),
    },
    steps: [],
  }
}
