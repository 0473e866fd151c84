import type { Group } from './group'
import { listOf, type PartitionLists } from './lists'

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

export function indexCells(group: Group, start: Int32Array): Cells {
  const topics = group.topics.length
  const members = group.memberIds.length
  const topic = new Int32Array(start[members]!)
  const member = new Int32Array(start[members]!)
  const topicStart = new Int32Array(topics + 1)
  for (let m = 0; m < members; m++) {
    const subscription = group.subscriptions[group.subscriptionOf[m]!]!
    topic.set(subscription, start[m])
    member.fill(topics + m, start[m], start[m + 1])
    for (let i = 0; i < subscription.length; i++) topicStart[subscription[i]! + 1]!++
  }
  for (let t = 0; t < topics; t++) topicStart[t + 1]! += topicStart[t]!
  const byTopic = new Int32Array(topic.length)
  const next = topicStart.slice(0, topics)
  for (let e = 0; e < topic.length; e++) byTopic[next[topic[e]!]!++] = e
  return { start, topic, member, topicStart, byTopic }
}

/** By cell: how many partitions of the topic are in the member's list. Lists hold subscribed topics only. */
export function countByCell(group: Group, start: Int32Array, lists: PartitionLists): Int32Array {
  const counts = new Int32Array(start[group.memberIds.length]!)
  for (let m = 0; m < group.memberIds.length; m++) {
    const topics = group.subscriptions[group.subscriptionOf[m]!]!
    countMember(listOf(lists, m), topics, group.topicStart, counts, start[m]!)
  }
  return counts
}

function countMember(list: Int32Array, topics: Int32Array, topicStart: Int32Array, counts: Int32Array, first: number) {
  let i = 0
  let end = topics.length > 0 ? topicStart[topics[0]! + 1]! : 0
  for (let k = 0; k < list.length; k++) {
    while (list[k]! >= end) end = topicStart[topics[++i]! + 1]!
    counts[first + i]!++
  }
}
