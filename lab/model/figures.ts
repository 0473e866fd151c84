/** Figures that the page shows beside a board. */

import { type Group, topicSpec } from '../../src/scenario/scenario'
import { type Owners, running, subscription, type Turn } from '../../src/scenario/simulate'

/** Partitions of each running consumer, in the group's order. */
export function countsOf(group: Group, owners: Owners): Map<string, number> {
  const counts = new Map(running(group).map(({ id }) => [id, 0]))
  for (const byPartition of owners.values())
    for (const owner of byPartition) if (owner !== null) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return counts
}

/** Running consumers that subscribe something and have nothing to do. */
export function idleOf(group: Group, owners: Owners): string[] {
  const counts = countsOf(group, owners)
  return running(group).flatMap(member =>
    counts.get(member.id) === 0 && subscription(group, member).length > 0 ? [member.id] : [],
  )
}

/** Whether a partition stayed with an owner. What a consumer had before it started again is lost, even if it gets it back. */
export function hasStayed({ before, rounds }: Turn, topic: string, partition: number, owner: string | null): boolean {
  if (owner !== (before.get(topic)?.[partition] ?? null)) return false
  return !rounds[0]?.request.members.some(({ memberId, generation }) => memberId === owner && generation === null)
}

/** Partitions whose owner is in none of their replicas' racks (KIP-881). Undefined where racks do not matter. */
export function otherRackOf(group: Group, owners: Owners): number | undefined {
  const rackOf = new Map(running(group).map(({ id, rackId }) => [id, rackId || undefined]))
  const withRacks = group.topics.filter(({ racks }) => racks?.length)
  if (withRacks.length === 0 || ![...rackOf.values()].some(Boolean)) return undefined
  let count = 0
  for (const topic of withRacks) {
    const spec = topicSpec(topic) as string[][]
    owners.get(topic.topic)?.forEach((owner, partition) => {
      const rack = owner === null ? undefined : rackOf.get(owner)
      if (rack && !spec[partition]!.includes(rack)) count++
    })
  }
  return count
}

/** Sum over the steps up to a given one; the first assignment moves nothing that anybody had. */
export function sumOf(turns: readonly Turn[], step: number): { moved: number; minimum: number } {
  const counted = turns.slice(1, step + 1)
  return {
    moved: counted.reduce((sum, turn) => sum + turn.moved, 0),
    minimum: counted.reduce((sum, turn) => sum + turn.minimum, 0),
  }
}

/** A short code for each topic, A to X, as the chips of the board show it. */
export const codeOf = (index: number): string => String.fromCharCode(65 + (index % 26))
