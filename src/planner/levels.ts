import type { Cells } from './cells'
import type { Steps, Work } from './steps'

/**
 * The level of a node is the highest load of any member from which it can be reached, going from a member to the topics
 * of which it has partitions, and from a topic to all its subscribers.
 *
 * It does not depend on which plan of the best balance it is read from, and it says what all of them have in common: a
 * member of level h has h or h - 1 partitions, and a cell is used only if its topic and its member are of one level. So
 * the levels are problems of their own. (2h - 1 is the price of a partition at a node: these prices prove the balance.)
 *
 * `counts` and `load` are a plan of the best balance. Returns the level by node, 0 for members without topics.
 */
export function* findLevels(
  topics: number,
  cells: Cells,
  counts: Int32Array,
  load: Int32Array,
  steps: Steps,
): Work<Int32Array> {
  const spreading = new Spreading(topics, cells, counts, load.length)
  const order = Int32Array.from({ length: load.length }, (_, m) => m).sort((a, b) => load[b]! - load[a]! || a - b)
  for (const highest of order) {
    if (spreading.level[topics + highest] !== 0 || cells.start[highest] === cells.start[highest + 1]) continue
    if (steps.spent(spreading.from(highest, load[highest]!))) yield
  }
  return spreading.level
}

class Spreading {
  /** By node; 0 as long as it has none. */
  readonly level: Int32Array
  private readonly stack: Int32Array
  /** How many topics have no level yet. */
  private topicsLeft: number

  constructor(
    private readonly topics: number,
    private readonly cells: Cells,
    private readonly counts: Int32Array,
    members: number,
  ) {
    this.level = new Int32Array(topics + members)
    this.stack = new Int32Array(members)
    this.topicsLeft = topics
  }

  /** Gives the level to everything that can be reached from the member and has none yet. Returns the steps it took. */
  from(member: number, value: number): number {
    const { topics, cells, counts, level, stack } = this
    let steps = 1
    let size = 0
    level[topics + member] = value
    stack[size++] = member
    while (size > 0 && this.topicsLeft > 0) {
      const m = stack[--size]!
      const end = cells.start[m + 1]!
      steps += end - cells.start[m]!
      for (let e = cells.start[m]!; e < end; e++) {
        const t = cells.topic[e]!
        if (counts[e] === 0 || level[t] !== 0) continue
        level[t] = value
        this.topicsLeft--
        steps += cells.topicStart[t + 1]! - cells.topicStart[t]!
        for (let k = cells.topicStart[t]!; k < cells.topicStart[t + 1]!; k++) {
          const node = cells.member[cells.byTopic[k]!]!
          if (level[node] !== 0) continue
          level[node] = value
          stack[size++] = node - topics
        }
      }
    }
    return steps
  }
}
