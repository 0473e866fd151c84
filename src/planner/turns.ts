/**
 * Who takes the first, second, ... partition: always the one that has the fewest and still lacks some, ties to the
 * smaller index. Goes level by level: those that have `level` take one each, in order, and meet those of the next level.
 */
export class Turns {
  private readonly byLoad: Int32Array
  private active: Int32Array | undefined
  private merged: Int32Array | undefined
  private buckets = empty

  /** @param capacity the most takers that there will be */
  constructor(capacity: number) {
    this.byLoad = new Int32Array(capacity)
  }

  /**
   * Writes the indexes of the takers to `out`, as many as all of them lack together.
   *
   * @param count how many takers there are
   * @param has by taker
   * @param lacks by taker, at least 1; is used up
   */
  order(count: number, has: Int32Array, lacks: Int32Array, out: Int32Array): void {
    this.sortByLoad(count, has)
    const { byLoad } = this
    if (isAllOnes(count, lacks)) {
      for (let k = 0; k < count; k++) out[k] = byLoad[k]!
      return
    }
    this.active ??= new Int32Array(byLoad.length)
    this.merged ??= new Int32Array(byLoad.length)
    let next = 0
    let arriving = 0
    let activeCount = 0
    for (let level = 0; arriving < count || activeCount > 0; level++) {
      if (activeCount === 0) level = has[byLoad[arriving]!]!
      const joining = arriving
      while (arriving < count && has[byLoad[arriving]!] === level) arriving++
      if (arriving > joining) activeCount = this.join(activeCount, joining, arriving)
      const active: Int32Array = this.active!
      let staying = 0
      for (let i = 0; i < activeCount; i++) {
        const taker = active[i]!
        out[next++] = taker
        if (--lacks[taker]! > 0) active[staying++] = taker
      }
      activeCount = staying
    }
  }

  /** Merges byLoad[from] .. byLoad[to - 1] into the active ones, both ascending. */
  private join(activeCount: number, from: number, to: number): number {
    const { byLoad } = this
    const active = this.active!
    const merged = this.merged!
    if (activeCount === 0) {
      for (let k = from; k < to; k++) active[k - from] = byLoad[k]!
      return to - from
    }
    let size = 0
    let i = 0
    let k = from
    while (i < activeCount || k < to) {
      merged[size++] = k === to || (i < activeCount && active[i]! < byLoad[k]!) ? active[i++]! : byLoad[k++]!
    }
    this.active = merged
    this.merged = active
    return size
  }

  /** Takers by what they have, ties by index. */
  private sortByLoad(count: number, has: Int32Array): void {
    const { byLoad } = this
    let least = Number.POSITIVE_INFINITY
    let most = 0
    for (let i = 0; i < count; i++) {
      if (has[i]! < least) least = has[i]!
      if (has[i]! > most) most = has[i]!
    }
    if (most - least > 4 * count + 64) {
      const keys = Float64Array.from({ length: count }, (_, i) => has[i]! * count + i).sort()
      for (let k = 0; k < count; k++) byLoad[k] = keys[k]! % count
      return
    }
    const size = most - least + 2
    if (this.buckets.length < size) this.buckets = new Int32Array(2 * size)
    const buckets = this.buckets.fill(0, 0, size)
    for (let i = 0; i < count; i++) buckets[has[i]! - least + 1]!++
    for (let b = 1; b < size; b++) buckets[b]! += buckets[b - 1]!
    for (let i = 0; i < count; i++) byLoad[buckets[has[i]! - least]!++] = i
  }
}

const empty = new Int32Array(0)

function isAllOnes(count: number, values: Int32Array): boolean {
  for (let i = 0; i < count; i++) if (values[i] !== 1) return false
  return true
}
