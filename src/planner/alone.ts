import type { Group } from './group'
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
  const choice = new Choice(group, start, own, level, waterline)
  for (let m = 0; m < members; m++) {
    if (level[topics + m] === 0) continue
    choice.choose(m, loads ? loads[m]! : level[topics + m]! - 1)
    if (steps.spent(8 * (start[m + 1]! - start[m]!))) yield
  }
  const extra = loads ? new Uint8Array(members) : choice.grantExtras()
  for (const cutting of [1, 0]) {
    for (let m = 0; m < members; m++) {
      if (level[topics + m] === 0 || choice.cutting[m] !== cutting) continue
      choice.settle(m, choice.open[m]! + extra[m]!)
      if (steps.spent(2 * (start[m + 1]! - start[m]!))) yield
    }
  }
  // Members whose count is given have nothing to exchange: none may get one more.
  if (loads) extra.fill(1)
  return { counts: choice.counts, waterline, need: choice.need, extra }
}

/** By topic: its partitions per subscriber of its level. */
export function waterlines(group: Group, level: Int32Array): Int32Array {
  const topics = group.topics.length
  const degree = new Int32Array(topics)
  for (let m = 0; m < group.memberIds.length; m++) {
    const subscription = group.subscriptions[group.subscriptionOf[m]!]!
    for (let i = 0; i < subscription.length; i++) {
      if (level[subscription[i]!] === level[topics + m]) degree[subscription[i]!]!++
    }
  }
  return degree.map((d, t) => Math.floor((group.topicStart[t + 1]! - group.topicStart[t]!) / d))
}

class Choice {
  readonly counts: Int32Array
  readonly need: Int32Array
  /** By member: 1 if it must give up some of what it owns. */
  readonly cutting: Uint8Array
  /** By member: how many of its cells at `height` get one more. */
  readonly open: Int32Array
  /** By member: cells at this height above the waterline are the next to get one more. */
  private readonly height: Int32Array
  private readonly owned: Int32Array
  private readonly topics: number
  /** Scratch for one member: the cells whose topic is of its level, and those at its height. */
  private readonly cells: Int32Array
  private readonly ties: Int32Array

  constructor(
    private readonly group: Group,
    private readonly start: Int32Array,
    private readonly own: Int32Array,
    private readonly level: Int32Array,
    private readonly waterline: Int32Array,
  ) {
    const members = group.memberIds.length
    this.topics = group.topics.length
    this.counts = new Int32Array(own.length)
    this.need = waterline.map((_, t) => group.topicStart[t + 1]! - group.topicStart[t]!)
    this.cutting = new Uint8Array(members)
    this.open = new Int32Array(members)
    this.height = new Int32Array(members)
    this.owned = new Int32Array(members)
    this.cells = new Int32Array(this.topics)
    this.ties = new Int32Array(this.topics)
  }

  private subscription(m: number): Int32Array {
    return this.group.subscriptions[this.group.subscriptionOf[m]!]!
  }

  /** Sets all counts of the member but the open ones. */
  choose(m: number, goal: number): void {
    const { own, counts, waterline, need } = this
    const subscription = this.subscription(m)
    const first = this.start[m]!
    const h = this.level[this.topics + m]!
    let usable = 0
    let owned = 0
    let line = 0
    let low = Number.POSITIVE_INFINITY
    let high = Number.NEGATIVE_INFINITY
    for (let i = 0; i < subscription.length; i++) {
      const t = subscription[i]!
      this.owned[m]! += own[first + i]!
      if (this.level[t] !== h) continue
      this.cells[usable++] = i
      const above = own[first + i]! - waterline[t]!
      owned += own[first + i]!
      line += waterline[t]!
      if (above < low) low = above
      if (above > high) high = above
    }
    const cutting = owned > goal
    this.cutting[m] = cutting ? 1 : 0
    const height = cutting
      ? this.highestCut(subscription, first, usable, goal, high)
      : this.highestFill(subscription, first, usable, goal, low, Math.floor((goal - line) / usable))
    this.height[m] = height
    let left = goal
    for (let j = 0; j < usable; j++) {
      const i = this.cells[j]!
      const t = subscription[i]!
      const level = Math.max(0, height + waterline[t]!)
      const count = cutting ? Math.min(own[first + i]!, level) : Math.max(own[first + i]!, level)
      counts[first + i] = count
      need[t]! -= count
      left -= count
    }
    this.open[m] = left
  }

  /** The greatest height at which cutting to it leaves no more than `goal`. */
  private highestCut(subscription: Int32Array, first: number, usable: number, goal: number, high: number): number {
    let bad = high
    let good = bad - 1
    for (let step = 1; this.cutTotal(subscription, first, usable, good) > goal; step *= 2) {
      bad = good
      good -= step
    }
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2)
      if (this.cutTotal(subscription, first, usable, middle) > goal) bad = middle
      else good = middle
    }
    return good
  }

  private cutTotal(subscription: Int32Array, first: number, usable: number, height: number): number {
    const { cells, own, waterline } = this
    let total = 0
    for (let j = 0; j < usable; j++) {
      const i = cells[j]!
      const level = height + waterline[subscription[i]!]!
      const have = own[first + i]!
      total += have < level ? have : Math.max(level, 0)
    }
    return total
  }

  /** The greatest height at which raising to it takes no more than `goal`; `top` is certainly not below it. */
  private highestFill(
    subscription: Int32Array,
    first: number,
    usable: number,
    goal: number,
    low: number,
    top: number,
  ): number {
    let good = low
    let bad = Math.max(top, low) + 1
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2)
      if (this.fillTotal(subscription, first, usable, middle) > goal) bad = middle
      else good = middle
    }
    return good
  }

  private fillTotal(subscription: Int32Array, first: number, usable: number, height: number): number {
    const { cells, own, waterline } = this
    let total = 0
    for (let j = 0; j < usable; j++) {
      const i = cells[j]!
      const level = height + waterline[subscription[i]!]!
      const have = own[first + i]!
      total += Math.max(have, level)
    }
    return total
  }

  /**
   * Who gets one more than its level less one: in each level as many as its partitions ask for, those to whom the next
   * one costs least; ties to who owned more, then to the smaller id.
   */
  grantExtras(): Uint8Array {
    const { level, topics, cutting, height, owned } = this
    const extra = new Uint8Array(owned.length)
    const wanted = new Map<number, number>()
    const count = (h: number, by: number) => wanted.set(h, (wanted.get(h) ?? 0) + by)
    for (let t = 0; t < topics; t++) count(level[t]!, this.group.topicStart[t + 1]! - this.group.topicStart[t]!)
    const members: number[] = []
    for (let m = 0; m < owned.length; m++) {
      if (level[topics + m] === 0) continue
      members.push(m)
      count(level[topics + m]!, 1 - level[topics + m]!)
    }
    members.sort((a, b) => cutting[b]! - cutting[a]! || height[a]! - height[b]! || owned[b]! - owned[a]! || a - b)
    for (const m of members) {
      const h = level[topics + m]!
      const left = wanted.get(h)!
      if (left === 0) continue
      extra[m] = 1
      wanted.set(h, left - 1)
    }
    return extra
  }

  /** Gives one more to `units` of the member's cells at its height: those whose topics need it most. */
  settle(m: number, units: number): void {
    if (units === 0) return
    const { own, counts, waterline, need, ties } = this
    const subscription = this.subscription(m)
    const first = this.start[m]!
    const h = this.level[this.topics + m]!
    const height = this.height[m]!
    let count = 0
    for (let i = 0; i < subscription.length; i++) {
      const t = subscription[i]!
      if (this.level[t] !== h) continue
      const level = height + waterline[t]!
      const have = own[first + i]!
      if (this.cutting[m] === 1 ? have > level && level >= 0 : have <= level) ties[count++] = i
    }
    const chosen =
      count === units ? ties.subarray(0, count) : neediest(ties.subarray(0, count), subscription, need, units)
    for (const i of chosen) {
      counts[first + i]!++
      need[subscription[i]!]!--
    }
  }
}

/** The `count` of the positions whose topics have the greatest need, ties to the smaller name. */
function neediest(positions: Int32Array, subscription: Int32Array, need: Int32Array, count: number): Int32Array {
  if (count * 8 > positions.length) {
    return positions.sort((a, b) => need[subscription[b]!]! - need[subscription[a]!]! || a - b).subarray(0, count)
  }
  for (let chosen = 0; chosen < count; chosen++) {
    let best = chosen
    for (let j = chosen + 1; j < positions.length; j++) {
      const more = need[subscription[positions[j]!]!]! - need[subscription[positions[best]!]!]!
      if (more > 0 || (more === 0 && positions[j]! < positions[best]!)) best = j
    }
    const position = positions[best]!
    positions[best] = positions[chosen]!
    positions[chosen] = position
  }
  return positions.subarray(0, count)
}
