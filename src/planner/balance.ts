import type { Cells } from './cells'
import type { Group } from './group'
import type { Steps, Work } from './steps'

/**
 * Some plan of the best balance, in counts by cell; who owned what plays no role. Only its levels are used (levels.ts).
 *
 * Topics with few subscribers are poured first, each into its least loaded subscribers. What is left to mend is mended by
 * shifting partitions along chains: member r takes of a topic from a holder, who takes of another topic from its holder,
 * and so on up to a donor that has at least two more than r. A plan without such a chain has the best balance (Harvey,
 * Ladner, Lovász, Tamir: Semi-matchings for bipartite graphs and load balancing, 2006).
 */
export function* balanceFreely(
  group: Group,
  cells: Cells,
  steps: Steps,
): Work<{ counts: Int32Array; load: Int32Array }> {
  const topics = group.topics.length
  const counts = new Int32Array(cells.topic.length)
  const load = new Int32Array(group.memberIds.length)
  const degree = (t: number) => cells.topicStart[t + 1]! - cells.topicStart[t]!
  const order = Int32Array.from({ length: topics }, (_, t) => t).sort((a, b) => degree(a) - degree(b) || a - b)
  const scratch = new Int32Array(group.memberIds.length)
  for (const t of order) {
    pour(group.topicStart[t + 1]! - group.topicStart[t]!, t, cells, topics, counts, load, scratch)
    if (steps.spent(4 * degree(t))) yield
  }
  const chains = new Chains(cells, topics, counts, load)
  for (let r = chains.nextReceiver(); r >= 0; r = chains.nextReceiver()) {
    if (steps.spent(chains.search(r))) yield
  }
  return { counts, load }
}

/** Gives the partitions of topic t to its least loaded subscribers, so that the lowest loads rise evenly. */
function pour(
  units: number,
  t: number,
  cells: Cells,
  topics: number,
  counts: Int32Array,
  load: Int32Array,
  loads: Int32Array,
): void {
  const { byTopic, member } = cells
  const first = cells.topicStart[t]!
  const degree = cells.topicStart[t + 1]! - first
  for (let k = 0; k < degree; k++) loads[k] = load[member[byTopic[first + k]!]! - topics]!
  let level = Number.POSITIVE_INFINITY
  let below = 0
  let sum = 0
  for (let before = -1; before !== below; ) {
    before = below
    below = 0
    sum = units
    for (let k = 0; k < degree; k++) {
      if (loads[k]! <= level) {
        below++
        sum += loads[k]!
      }
    }
    level = Math.floor(sum / below)
  }
  let rest = sum - level * below
  for (let k = 0; k < degree; k++) {
    if (loads[k]! > level) continue
    const e = byTopic[first + k]!
    counts[e] = level - loads[k]!
    if (rest > 0) {
      counts[e]!++
      rest--
    }
    load[member[e]! - topics]! += counts[e]!
  }
}

/** Finds and shifts chains, receivers by ascending load. */
class Chains {
  /** Open members as linked lists by load. */
  private readonly first: Int32Array
  private readonly next: Int32Array
  private readonly before: Int32Array
  private lowest = 0
  /** By node: number of the last search that came by; `closed` for good after a search without result. */
  private readonly seen: Int32Array
  private readonly queue: Int32Array
  /** The topics that the last search came by, and how many are not closed. */
  private readonly passed: Int32Array
  private openTopics: number
  /** By node: the cell through which the search came. */
  private readonly via: Int32Array
  private searches = 0

  constructor(
    private readonly cells: Cells,
    private readonly topics: number,
    private readonly counts: Int32Array,
    private readonly load: Int32Array,
  ) {
    const members = load.length
    this.first = new Int32Array(load.reduce((a, b) => Math.max(a, b), 0) + 2).fill(-1)
    this.next = new Int32Array(members)
    this.before = new Int32Array(members)
    this.seen = new Int32Array(topics + members)
    this.queue = new Int32Array(members)
    this.passed = new Int32Array(topics)
    this.openTopics = topics
    this.via = new Int32Array(topics + members)
    for (let m = members - 1; m >= 0; m--) if (cells.start[m] !== cells.start[m + 1]) this.enqueue(m)
  }

  private enqueue(m: number): void {
    const behind = this.first[this.load[m]!]!
    this.next[m] = behind
    this.before[m] = -1
    if (behind >= 0) this.before[behind] = m
    this.first[this.load[m]!] = m
  }

  private dequeue(m: number): void {
    const before = this.before[m]!
    const behind = this.next[m]!
    if (before >= 0) this.next[before] = behind
    else this.first[this.load[m]!] = behind
    if (behind >= 0) this.before[behind] = before
  }

  /** The open member of the lowest load, or -1. No load ever sinks below it. */
  nextReceiver(): number {
    for (; this.lowest < this.first.length; this.lowest++) {
      const m = this.first[this.lowest]!
      if (m >= 0) return m
    }
    return -1
  }

  /** Looks for a donor for receiver r and shifts half the difference. Returns the steps it took. */
  search(r: number): number {
    const { cells, topics, counts, load, seen, queue, passed, via } = this
    const stamp = ++this.searches
    let passedCount = 0
    const enough = load[r]! + 2
    let tail = 0
    let steps = 1
    seen[topics + r] = stamp
    queue[tail++] = r
    for (let head = 0; head < tail && passedCount < this.openTopics; head++) {
      const m = queue[head]!
      steps += cells.start[m + 1]! - cells.start[m]!
      for (let e = cells.start[m]!; e < cells.start[m + 1]!; e++) {
        const t = cells.topic[e]!
        if (seen[t] === stamp || seen[t] === closed) continue
        seen[t] = stamp
        passed[passedCount++] = t
        via[t] = e
        steps += cells.topicStart[t + 1]! - cells.topicStart[t]!
        for (let k = cells.topicStart[t]!; k < cells.topicStart[t + 1]!; k++) {
          const from = cells.byTopic[k]!
          const node = cells.member[from]!
          if (counts[from] === 0 || seen[node] === stamp || seen[node] === closed) continue
          seen[node] = stamp
          via[node] = from
          if (load[node - topics]! >= enough) {
            this.shift(node, r)
            return steps
          }
          queue[tail++] = node - topics
        }
      }
    }
    this.close(queue.subarray(0, tail), passed.subarray(0, passedCount))
    return steps
  }

  private shift(donor: number, r: number): void {
    const { cells, topics, counts, load, via } = this
    const goal = topics + r
    let amount = (load[donor - topics]! - load[r]!) >> 1
    for (let node = donor; node !== goal; node = cells.member[via[cells.topic[via[node]!]!]!]!) {
      amount = Math.min(amount, counts[via[node]!]!)
    }
    for (let node = donor; node !== goal; node = cells.member[via[cells.topic[via[node]!]!]!]!) {
      const given = via[node]!
      counts[given]! -= amount
      counts[via[cells.topic[given]!]!]! += amount
    }
    for (const m of [donor - topics, r]) {
      this.dequeue(m)
      load[m]! += m === r ? amount : -amount
      this.enqueue(m)
    }
  }

  /** Nobody here can give to anybody as low as the receiver, and nothing can enter: all is final. */
  private close(members: Int32Array, passed: Int32Array): void {
    for (const m of members) {
      this.dequeue(m)
      this.seen[this.topics + m] = closed
    }
    for (const t of passed) this.seen[t] = closed
    this.openTopics -= passed.length
  }
}

const closed = -1
