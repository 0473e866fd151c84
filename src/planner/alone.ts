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
  /** Scratch for one member: its cells whose topic is of its level, what it owns there, the waterlines; cells at its height. */
  private readonly cells: Int32Array
  private readonly have: Int32Array
  private readonly line: Int32Array
  private size = 0
  private lines = 0
  private lastSubscription: Int32Array | undefined
  private lastLevel = 0
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
    this.have = new Int32Array(this.topics)
    this.line = new Int32Array(this.topics)
    this.ties = new Int32Array(this.topics)
  }

  private subscription(m: number): Int32Array {
    return this.group.subscriptions[this.group.subscriptionOf[m]!]!
  }

  /** Sets all counts of the member but the open ones. */
  choose(m: number, goal: number): void {
    this.turnTo(m)
    const { own, counts, need, cells, size, have, line, lines } = this
    const subscription = this.subscription(m)
    const first = this.start[m]!
    let usable = 0
    let low = Number.POSITIVE_INFINITY
    let high = Number.NEGATIVE_INFINITY
    let highest = 0
    for (let j = 0; j < size; j++) {
      const mine = own[first + cells[j]!]!
      have[j] = mine
      usable += mine
      const above = mine - line[j]!
      if (above < low) low = above
      if (above > high) {
        high = above
        highest = 0
      }
      if (above === high && mine > 0) highest++
    }
    const cutting = usable > goal
    let height: number
    if (!cutting) height = this.highestFill(goal, low, Math.floor((goal - lines) / size))
    else if (usable - highest <= goal) height = high - 1
    else height = this.highestCut(goal, high - 1)
    this.owned[m] = usable
    this.cutting[m] = cutting ? 1 : 0
    this.height[m] = height
    let left = goal
    for (let j = 0; j < size; j++) {
      const i = cells[j]!
      const mark = Math.max(0, height + line[j]!)
      const count = cutting ? Math.min(have[j]!, mark) : Math.max(have[j]!, mark)
      counts[first + i] = count
      need[subscription[i]!]! -= count
      left -= count
    }
    this.open[m] = left
  }

  /** Finds the member's cells whose topics are of its level; members in a row mostly have the same. */
  private turnTo(m: number): void {
    const { level, cells, line, waterline } = this
    const subscription = this.subscription(m)
    const h = level[this.topics + m]!
    if (subscription === this.lastSubscription && h === this.lastLevel) return
    this.lastSubscription = subscription
    this.lastLevel = h
    this.size = 0
    this.lines = 0
    for (let i = 0; i < subscription.length; i++) {
      const t = subscription[i]!
      if (level[t] !== h) continue
      cells[this.size] = i
      line[this.size++] = waterline[t]!
      this.lines += waterline[t]!
    }
  }

  /** The greatest height at which cutting to it leaves no more than `goal`; at `bad` it leaves more. */
  private highestCut(goal: number, bad: number): number {
    let good = bad - 1
    for (let step = 1; this.cutTotal(good) > goal; step *= 2) {
      bad = good
      good -= step
    }
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2)
      if (this.cutTotal(middle) > goal) bad = middle
      else good = middle
    }
    return good
  }

  private cutTotal(height: number): number {
    const { size, have, line } = this
    let total = 0
    for (let j = 0; j < size; j++) total += Math.min(have[j]!, Math.max(0, height + line[j]!))
    return total
  }

  /** The greatest height at which raising to it takes no more than `goal`; `top` is certainly not below it. */
  private highestFill(goal: number, low: number, top: number): number {
    let good = low
    let bad = Math.max(top, low) + 1
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2)
      if (this.fillTotal(middle) > goal) bad = middle
      else good = middle
    }
    return good
  }

  private fillTotal(height: number): number {
    const { size, have, line } = this
    let total = 0
    for (let j = 0; j < size; j++) total += Math.max(have[j]!, height + line[j]!)
    return total
  }

  /**
   * Who gets one more than its level less one: in each level as many as its partitions ask for, those to whom the next
   * one costs least; ties to who owned more, then to the smaller id.
   */
  grantExtras(): Uint8Array {
    const { level, topics, group } = this
    const extra = new Uint8Array(this.owned.length)
    const wanted = new Map<number, number>()
    for (let t = 0; t < topics; t++) {
      wanted.set(level[t]!, (wanted.get(level[t]!) ?? 0) + group.topicStart[t + 1]! - group.topicStart[t]!)
    }
    const members: number[] = []
    for (let m = 0; m < extra.length; m++) {
      const h = level[topics + m]!
      if (h === 0) continue
      members.push(m)
      wanted.set(h, wanted.get(h)! - h + 1)
    }
    for (const m of this.byCostOfNext(members)) {
      const h = level[topics + m]!
      const left = wanted.get(h)!
      if (left === 0) continue
      extra[m] = 1
      wanted.set(h, left - 1)
    }
    return extra
  }

  private byCostOfNext(members: number[]): number[] {
    const { cutting, height, owned } = this
    return members.sort(
      (a, b) => cutting[b]! - cutting[a]! || height[a]! - height[b]! || owned[b]! - owned[a]! || a - b,
    )
  }

  /** Gives one more to `units` of the member's cells at its height: those whose topics need it most. */
  settle(m: number, units: number): void {
    if (units === 0) return
    this.turnTo(m)
    const { own, counts, need, ties, cells, line, size } = this
    const subscription = this.subscription(m)
    const first = this.start[m]!
    const height = this.height[m]!
    const cutting = this.cutting[m] === 1
    let count = 0
    for (let j = 0; j < size; j++) {
      const mark = height + line[j]!
      const mine = own[first + cells[j]!]!
      if (cutting ? mine > mark && mark >= 0 : mine <= mark) ties[count++] = cells[j]!
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
  const size = positions.length
  if (count * 8 <= size) {
    for (let done = 0; done < count; done++) moveToFront(positions, done, subscription, need, 1)
    return positions.subarray(0, count)
  }
  if ((size - count) * 8 <= size) {
    for (let done = 0; done < size - count; done++) moveToFront(positions, done, subscription, need, -1)
    return positions.subarray(size - count)
  }
  const topics = need.length
  const keys = new Float64Array(size)
  for (let j = 0; j < size; j++) keys[j] = positions[j]! - need[subscription[positions[j]!]!]! * topics
  keys.sort()
  for (let j = 0; j < count; j++) positions[j] = ((keys[j]! % topics) + topics) % topics
  return positions.subarray(0, count)
}

/** Of the positions from `first` on, puts the neediest there (sign 1), or the least needy (sign -1). */
function moveToFront(positions: Int32Array, first: number, subscription: Int32Array, need: Int32Array, sign: 1 | -1) {
  let best = first
  let bestNeed = need[subscription[positions[best]!]!]!
  for (let j = first + 1; j < positions.length; j++) {
    const more = sign * (need[subscription[positions[j]!]!]! - bestNeed)
    if (more > 0 || (more === 0 && sign * (positions[j]! - positions[best]!) < 0)) {
      best = j
      bestNeed = need[subscription[positions[j]!]!]!
    }
  }
  const position = positions[best]!
  positions[best] = positions[first]!
  positions[first] = position
}
