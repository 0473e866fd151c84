/** The best possible figures of a group, found in two ways that share nothing with the planner. */
import { isMismatch, type Member, type OracleGroup } from './oracle-group'

/** In the order of their weight. */
export interface Score {
  /** Loads of the members that may have something, ascending. */
  readonly loads: readonly number[]
  readonly rackMismatches: number
  readonly moves: number
  readonly spread: number
}

/** Owner of each partition of the group, in its order. */
export type Solution = readonly Member[]

export function scoreOf(group: OracleGroup, solution: Solution): Score {
  const loads = new Map(group.members.filter(member => member.topics.size > 0).map(member => [member, 0]))
  const cells = new Map<string, number>()
  let rackMismatches = 0
  let moves = 0
  group.partitions.forEach((partition, i) => {
    const member = solution[i]!
    loads.set(member, loads.get(member)! + 1)
    const cell = JSON.stringify([partition.topic, member.memberId])
    cells.set(cell, (cells.get(cell) ?? 0) + 1)
    if (isMismatch(group, partition, member)) rackMismatches++
    if (partition.owner !== member) moves++
  })
  return {
    loads: [...loads.values()].sort((a, b) => a - b),
    rackMismatches,
    moves,
    spread: sumOfSquares(cells.values()),
  }
}

function sumOfSquares(numbers: Iterable<number>): number {
  let sum = 0
  for (const n of numbers) sum += n * n
  return sum
}

/** Negative if `a` is better. For equal sums the least sum of squares is the lexicographically best vector of loads. */
export function compareScores(a: Score, b: Score): number {
  return (
    sumOfSquares(a.loads) - sumOfSquares(b.loads) ||
    a.rackMismatches - b.rackMismatches ||
    a.moves - b.moves ||
    a.spread - b.spread
  )
}

/** Number of plans that `exhaustive` would look at. */
export function planCount(group: OracleGroup): number {
  return group.partitions.reduce((product, { subscribers }) => product * subscribers.length, 1)
}

/** Looks at every plan there is. */
export function exhaustive(group: OracleGroup): Score {
  let best: Score | undefined
  const solution: Member[] = []
  const place = (i: number) => {
    if (i === group.partitions.length) {
      const score = scoreOf(group, solution)
      if (!best || compareScores(score, best) < 0) best = score
      return
    }
    for (const member of group.partitions[i]!.subscribers) {
      solution[i] = member
      place(i + 1)
    }
  }
  place(0)
  return best!
}

/**
 * Min-cost flow on single partitions. Each partition sends one unit through a cell (its topic at a member) to that
 * member; the k-th unit costs 2k - 1 in a cell (spread) and that much times a large weight at a member (balance), and a
 * partition's own arc costs a mismatch and a move. Partitions are placed one after the other along cheapest paths, which
 * may reroute those placed before: each prefix is then placed at least cost.
 */
export function cheapestFlow(group: OracleGroup): Solution {
  return new Flow(group).solve()
}

interface Arc {
  readonly cell: number
  readonly cost: number
}

class Flow {
  private readonly cells: { readonly member: number; units: number }[] = []
  /** For each partition where it may go. */
  private readonly arcs: Arc[][]
  private readonly loads: number[]
  /** The arc that each partition takes, as far as they are placed. */
  private readonly placed: Arc[] = []
  private readonly balanceWeight: number

  constructor(private readonly group: OracleGroup) {
    const count = group.partitions.length
    const moveWeight = count * count + 1
    const rackWeight = moveWeight * (count + 1)
    this.balanceWeight = rackWeight * (count + 1)
    if (this.balanceWeight * count * count > Number.MAX_SAFE_INTEGER) throw new Error('too many partitions')
    this.loads = group.members.map(() => 0)

    const indexes = new Map<string, number>()
    const cellOf = (topic: string, member: Member) => {
      const key = JSON.stringify([topic, member.memberId])
      const known = indexes.get(key)
      if (known !== undefined) return known
      indexes.set(key, this.cells.length)
      return this.cells.push({ member: group.members.indexOf(member), units: 0 }) - 1
    }
    this.arcs = group.partitions.map(partition =>
      partition.subscribers.map(member => ({
        cell: cellOf(partition.topic, member),
        cost: (isMismatch(group, partition, member) ? rackWeight : 0) + (partition.owner === member ? 0 : moveWeight),
      })),
    )
  }

  solve(): Solution {
    for (let p = 0; p < this.arcs.length; p++) this.place(p)
    return this.placed.map(({ cell }) => this.group.members[this.cells[cell]!.member]!)
  }

  /** Finds the cheapest path for one more unit and sends it. Nodes: partitions, then cells, then members, the sink. */
  private place(from: number): void {
    const cellsAt = this.arcs.length
    const membersAt = cellsAt + this.cells.length
    const sink = membersAt + this.loads.length
    const distance = new Array<number>(sink + 1).fill(Number.POSITIVE_INFINITY)
    const before = new Array<number>(sink + 1).fill(-1)
    distance[from] = 0
    const queue = [from]
    const queued = new Set(queue)
    const relax = (node: number, to: number, cost: number) => {
      if (distance[node]! + cost >= distance[to]!) return
      distance[to] = distance[node]! + cost
      before[to] = node
      if (to === sink || queued.has(to)) return
      queued.add(to)
      queue.push(to)
    }
    for (let next = 0; next < queue.length; next++) {
      const node = queue[next]!
      queued.delete(node)
      if (node < cellsAt) {
        for (const arc of this.arcs[node]!) if (arc !== this.placed[node]) relax(node, cellsAt + arc.cell, arc.cost)
      } else if (node < membersAt) {
        const { units, member } = this.cells[node - cellsAt]!
        relax(node, membersAt + member, 2 * units + 1)
        this.placed.forEach((arc, p) => {
          if (arc.cell === node - cellsAt) relax(node, p, -arc.cost)
        })
      } else {
        const member = node - membersAt
        relax(node, sink, (2 * this.loads[member]! + 1) * this.balanceWeight)
        this.cells.forEach((cell, c) => {
          if (cell.member === member && cell.units > 0) relax(node, cellsAt + c, -(2 * cell.units - 1))
        })
      }
    }

    for (let to = sink; before[to] !== -1; to = before[to]!) {
      const node = before[to]!
      if (to === sink) this.loads[node - membersAt]!++
      else if (node < cellsAt) this.placed[node] = this.arcs[node]!.find(arc => arc.cell === to - cellsAt)!
      else if (node >= membersAt) this.cells[to - cellsAt]!.units--
      else if (to >= membersAt) this.cells[node - cellsAt]!.units++
    }
  }
}
