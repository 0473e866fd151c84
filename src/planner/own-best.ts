import type { Standing } from './extras'
import type { Group } from './group'
import { neediest } from './neediest'

/**
 * What is best for a member by itself. `choose` sets its counts but for the last few, which go to some of several cells
 * of equal height; `settle` gives those out, to the topics that need them most.
 */
export class OwnBest implements Standing {
  readonly counts: Int32Array
  readonly need: Int32Array
  /** By member: 1 if it must give up some of what it owns. */
  readonly cutting: Uint8Array
  /** By member: how many of its cells at `height` get one more; -1 if one of those above it has to give one up. */
  readonly open: Int32Array
  /** By member: cells at this height above the waterline are the next to get one more. */
  readonly height: Int32Array
  readonly owned: Int32Array
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

  /** Sets all counts of the member but the open ones. One that owns one too many keeps all of it for the time being. */
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
      const i = cells[j]!
      const mine = own[first + i]!
      have[j] = mine
      counts[first + i] = mine
      need[subscription[i]!]! -= mine
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
    this.owned[m] = usable
    this.cutting[m] = cutting ? 1 : 0
    this.open[m] = goal - usable
    if (usable === goal) this.height[m] = low
    else if (usable === goal + 1 && highest > 0) this.height[m] = high - 1
    else {
      let height: number
      if (!cutting) height = this.highestFill(goal, low, Math.floor((goal - lines) / size))
      else if (usable - highest <= goal) height = high - 1
      else height = this.highestCut(goal, high - 1)
      this.height[m] = height
      this.reach(m, height, cutting)
    }
  }

  /** Cuts the cells above the height, or raises those below it. */
  private reach(m: number, height: number, cutting: boolean): void {
    const { counts, need, cells, size, have, line } = this
    const subscription = this.subscription(m)
    const first = this.start[m]!
    for (let j = 0; j < size; j++) {
      const mark = Math.max(0, height + line[j]!)
      const change = (cutting ? Math.min(have[j]!, mark) : Math.max(have[j]!, mark)) - have[j]!
      if (change === 0) continue
      const i = cells[j]!
      counts[first + i]! += change
      need[subscription[i]!]! -= change
      this.open[m]! -= change
    }
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

  /** Gives one more to `units` of the member's cells at its height: those whose topics need it most. Negative: takes one. */
  settle(m: number, units: number): void {
    if (units === 0) return
    this.turnTo(m)
    if (units < 0) {
      this.giveOneUp(m)
      return
    }
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

  /** Takes one from the member's highest cells: from the topic that needs it least, ties to the greater name. */
  private giveOneUp(m: number): void {
    const { counts, need, cells, line, size } = this
    const subscription = this.subscription(m)
    const first = this.start[m]!
    const height = this.height[m]!
    let chosen = -1
    let least = Number.POSITIVE_INFINITY
    for (let j = 0; j < size; j++) {
      const i = cells[j]!
      const mark = height + line[j]!
      if (mark < 0 || counts[first + i]! <= mark || need[subscription[i]!]! > least) continue
      chosen = i
      least = need[subscription[i]!]!
    }
    counts[first + chosen]!--
    need[subscription[chosen]!]!++
  }
}
