import { grantExtras } from './extras'
import type { Group } from './group'
import { OwnBest } from './own-best'
import type { Steps, Work } from './steps'

/**
 * The start: every member by itself takes what is best for it, as if there were enough of every topic.
 *
 * A member of level h takes h - 1 partitions, and some of each level take one more. To each of them a partition costs
 * less the fewer it has of the topic (the x-th costs 2x - 1, which adds up to x²), and far less if it owned it. So who
 * owns too much cuts where it has most, who owns too little is raised where it has least. "Most" and "least" are
 * measured from a waterline by topic, its even share per subscriber.
 *
 * Members hardly ever have to differ from this: what is left open is only which of several cells of equal height get the
 * last few, and that is settled by what the topics need. Afterwards `need` says by topic how many partitions are still
 * to be placed, or are placed too often (negative): repair.ts settles these.
 */
export interface Start {
  /** By cell. */
  readonly counts: Int32Array
  /** By topic. */
  readonly waterline: Int32Array
  readonly need: Int32Array
  /** By member: 1 if it has as many partitions as its level, not one fewer. */
  readonly extra: Uint8Array
}

/**
 * @param start by member: its first cell
 * @param own believed claims by cell
 * @param level by topic, then by member: levels.ts
 * @param loads by member: how many it gets, if that is given; otherwise its level less one, or its level
 */
export function* startAlone(
  group: Group,
  start: Int32Array,
  own: Int32Array,
  level: Int32Array,
  steps: Steps,
  loads?: Int32Array,
): Work<Start> {
  const topics = group.topics.length
  const members = group.memberIds.length
  const waterline = waterlines(group, level)
  const best = new OwnBest(group, start, own, level, waterline)
  for (let m = 0; m < members; m++) {
    if (level[topics + m] === 0) continue
    best.choose(m, loads ? loads[m]! : level[topics + m]! - 1)
    if (steps.spent(8 * (start[m + 1]! - start[m]!))) yield
  }
  const extra = loads ? new Uint8Array(members) : grantExtras(group, level, best)
  for (const cutting of [1, 0]) {
    for (let m = 0; m < members; m++) {
      if (level[topics + m] === 0 || best.cutting[m] !== cutting) continue
      best.settle(m, best.open[m]! + extra[m]!)
      if (steps.spent(2 * (start[m + 1]! - start[m]!))) yield
    }
  }
  // Members whose count is given have nothing to exchange: none may get one more.
  if (loads) extra.fill(1)
  return { counts: best.counts, waterline, need: best.need, extra }
}

/** By topic: its partitions per subscriber of its level. */
export function waterlines(group: Group, level: Int32Array): Int32Array {
  const topics = group.topics.length
  const degree = new Int32Array(topics)
  if (group.subscriptions.length === 1) return evenShares(group, degree.fill(group.memberIds.length))
  for (let m = 0; m < group.memberIds.length; m++) {
    const subscription = group.subscriptions[group.subscriptionOf[m]!]!
    for (let i = 0; i < subscription.length; i++) {
      if (level[subscription[i]!] === level[topics + m]) degree[subscription[i]!]!++
    }
  }
  return evenShares(group, degree)
}

const evenShares = (group: Group, degree: Int32Array): Int32Array =>
  degree.map((d, t) => Math.floor((group.topicStart[t + 1]! - group.topicStart[t]!) / d))
