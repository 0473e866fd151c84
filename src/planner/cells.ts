import type { Group } from './group'
import { type PartitionLists, sizeOf } from './lists'
import type { Steps, Work } from './steps'

/**
 * A cell is a member and one topic that it subscribes. Cells are numbered member by member, topics ascending. All counts
 * of the planner are per cell, because the partitions of a topic are interchangeable but for who owned them.
 *
 * Topics and members are the nodes of a network: topic t is node t, member m is node `topics + m`.
 */
export interface Cells {
  /** Member m has the cells start[m] .. start[m + 1] - 1. */
  readonly start: Int32Array
  /** By cell: the node of its topic, and of its member. */
  readonly topic: Int32Array
  readonly member: Int32Array
  /** The cells of topic t, members ascending: byTopic[topicStart[t]] .. byTopic[topicStart[t + 1] - 1]. */
  readonly topicStart: Int32Array
  readonly byTopic: Int32Array
}

/** By member: where its cells start; the last entry is the number of cells. */
export function cellStarts(group: Group): Int32Array {
  const start = new Int32Array(group.memberIds.length + 1)
  for (let m = 0; m < group.memberIds.length; m++) {
    start[m + 1] = start[m]! + group.subscriptions[group.subscriptionOf[m]!]!.length
  }
  return start
}

export function* indexCells(group: Group, start: Int32Array, steps: Steps): Work<Cells> {
  const topics = group.topics.length
  const members = group.memberIds.length
  const topic = new Int32Array(start[members]!)
  const member = new Int32Array(start[members]!)
  const topicStart = new Int32Array(topics + 1)
  for (let m = 0; m < members; m++) {
    const subscription = group.subscriptions[group.subscriptionOf[m]!]!
    const first = start[m]!
    for (let i = 0; i < subscription.length; i++) {
      const t = subscription[i]!
      topic[first + i] = t
      member[first + i] = topics + m
      topicStart[t + 1]!++
    }
    if (steps.spent(subscription.length)) yield
  }
  for (let t = 0; t < topics; t++) topicStart[t + 1]! += topicStart[t]!
  const byTopic = new Int32Array(topic.length)
  const next = topicStart.slice(0, topics)
  for (let m = 0; m < members; m++) {
    for (let e = start[m]!; e < start[m + 1]!; e++) byTopic[next[topic[e]!]!++] = e
    if (steps.spent(2 * (start[m + 1]! - start[m]!))) yield
  }
  return { start, topic, member, topicStart, byTopic }
}

/** By cell: how many partitions of the topic are in the member's list. Lists hold subscribed topics only. */
export function* countByCell(group: Group, start: Int32Array, lists: PartitionLists, steps: Steps): Work<Int32Array> {
  const counts = new Int32Array(start[group.memberIds.length]!)
  for (let m = 0; m < group.memberIds.length; m++) {
    const topics = group.subscriptions[group.subscriptionOf[m]!]!
    countMember(lists, m, topics, group.topicStart, counts, start[m]!)
    if (steps.spent(sizeOf(lists, m) + topics.length)) yield
  }
  return counts
}

function countMember(
  lists: PartitionLists,
  m: number,
  topics: Int32Array,
  topicStart: Int32Array,
  counts: Int32Array,
  first: number,
): void {
  const { ids } = lists
  const listEnd = lists.start[m + 1]!
  let i = 0
  let end = topics.length > 0 ? topicStart[topics[0]! + 1]! : 0
  for (let k = lists.start[m]!; k < listEnd; k++) {
    while (ids[k]! >= end) end = topicStart[topics[++i]! + 1]!
    counts[first + i]!++
  }
}
