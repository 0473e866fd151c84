import type { PlanMember } from './types'

/**
 * The group in numbers: members and topics are numbered in the order of their names (UTF-16 code units, as Kafka
 * compares strings), partitions through all planned topics. Comparing numbers is comparing names.
 */
export interface Group {
  /** Ascending, each id once. */
  readonly memberIds: readonly string[]
  /** Planned topics, ascending: those with at least one partition and one subscriber. */
  readonly topics: readonly string[]
  /** Partition p of topic t has the number topicStart[t] + p; the last entry is the number of partitions in all. */
  readonly topicStart: Int32Array
  /** The distinct sets of planned topics that members subscribe, each ascending. */
  readonly subscriptions: readonly Int32Array[]
  /** By member: index in `subscriptions`. */
  readonly subscriptionOf: Int32Array
  /** Members that subscribe a planned topic, ascending; the others count for nothing. */
  readonly subscribers: Int32Array
  /** All of these subscribe the same topics. */
  readonly isUniform: boolean
  /** Subscribed topics without partitions, ascending. */
  readonly missingTopics: readonly string[]
}

/**
 * What the request says about each member. Member m has the entries start[m] .. start[m + 1] - 1: more than one only
 * where an id was listed twice; the entry of the highest generation then comes first.
 */
export interface Entries {
  readonly list: readonly PlanMember[]
  readonly start: Int32Array
}

export const partitionCount = (group: Group): number => group.topicStart[group.topics.length]!

/** The topic of a partition number: the last one that starts at or before it. */
export function topicOf(group: Group, partition: number): number {
  let low = 0
  let high = group.topics.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (group.topicStart[middle]! <= partition) low = middle
    else high = middle - 1
  }
  return low
}

/** Generation of a member's claims; -1 where it says none: older than any other (KIP-792). */
export function generationOf(entry: PlanMember): number {
  const { generation } = entry
  return typeof generation === 'number' && Number.isInteger(generation) && generation >= 0 ? generation : -1
}
