import type { Steps, Work } from '../steps'
import { type KafkaGroup, memberOrder, NOBODY, type Owners, subscribersByTopic } from './group'

/**
 * Kafka's RoundRobinAssignor: the members stand in a ring, the partitions of all topics pass by in order, and each goes
 * to the next member that subscribes its topic. Racks and claims mean nothing to it.
 */
export function* roundRobin(group: KafkaGroup, steps: Steps): Work<Owners> {
  const ring = memberOrder(group)
  const position = new Map(ring.map((m, i) => [m, i]))
  const subscribers = subscribersByTopic(group, ring)
  const owners = new Int32Array(group.start.at(-1)!).fill(NOBODY)

  let next = 0
  for (let t = 0; t < group.topics.length; t++) {
    // Within one topic the ring shrinks to its subscribers: no need to step past all the others each time.
    const positions = subscribers[t]!.map(m => position.get(m)!)
    if (steps.spent(positions.length)) yield
    let i = firstFrom(positions, next)
    for (let p = group.start[t]!; p < group.start[t + 1]!; p++) {
      const at = positions[i]!
      owners[p] = ring[at]!
      next = (at + 1) % ring.length
      i = (i + 1) % positions.length
      if (steps.spent(1)) yield
    }
  }
  return owners
}

/** Index of the first of some ascending ring positions at or after `from`; past the last one the ring begins again. */
function firstFrom(positions: readonly number[], from: number): number {
  return Math.max(
    positions.findIndex(position => position >= from),
    0,
  )
}
