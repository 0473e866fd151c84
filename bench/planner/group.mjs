/**
 * Groups for the bench. A group is
 *   { generation, topics: [{ name, partitions }], members: [{ id, topics: [topic index], owned: [[topic index, [ids]]] }] }
 * and a builder gives a settled group and then lets something happen to it.
 */
import { settle } from './settle.mjs'

/** `count` topics of `partitions` each. */
export const evenTopics = (count, partitions) => Array.from({ length: count }, () => partitions)

/** `count` topics with sizes falling as 1/rank (Zipf), `total` partitions in all, none above `most`. */
export function unevenTopics(count, total, most) {
  const sizes = new Array(count).fill(1)
  let left = total - count
  while (left > 0) {
    const open = sizes.map((size, rank) => (size < most ? 1 / (rank + 1) : 0))
    const weight = open.reduce((sum, w) => sum + w, 0)
    const before = left
    for (let rank = 0; rank < count && left > 0; rank++) {
      const share = Math.min(Math.ceil((before * open[rank]) / weight), most - sizes[rank], left)
      sizes[rank] += share
      left -= share
    }
  }
  return sizes
}

/** Every topic. */
export const everyTopic = sizes => () => [...sizes.keys()]

/** A random `share` of the topics, at least one. */
export const randomShare = (sizes, share, rng) => () =>
  rng
    .shuffled([...sizes.keys()])
    .slice(0, Math.max(1, Math.round(sizes.length * share)))
    .sort((a, b) => a - b)

/** `members` members at rest. `subscribe(i)` gives the topics of the i-th. */
export function settledGroup(rng, sizes, members, subscribe) {
  const subscriptions = Array.from({ length: members }, (_, i) => subscribe(i))
  const owned = settle(sizes, subscriptions)
  const width = String(sizes.length - 1).length
  return {
    generation: 7,
    topics: sizes.map((partitions, i) => ({ name: `topic-${String(i).padStart(width, '0')}`, partitions })),
    members: subscriptions.map((topics, i) => member(rng, topics, owned[i])),
  }
}

const member = (rng, topics, owned) => ({
  id: `app-${rng.hex(8)}-${rng.hex(4)}-${rng.hex(4)}-${rng.hex(12)}`,
  topics,
  owned,
})

/** Takes `count` random members away. */
export function leave(rng, group, count) {
  group.members = rng.shuffled(group.members).slice(count)
}

/** Adds `count` members that own nothing. */
export function join(rng, group, count, subscribe) {
  for (let i = 0; i < count; i++) group.members.push(member(rng, subscribe(i), []))
}

/** Nobody owns anything: the first assignment of a group. */
export function forget(group) {
  for (const each of group.members) each.owned = []
}
