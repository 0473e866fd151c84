import type { KafkaGroup } from './group'

/** Members by load, equal ones by id: Java's TreeSet of them. */
export class LoadOrder {
  private readonly list: number[]
  /** Place of each member among all ids in order. */
  private readonly idRank: readonly number[]

  /** `sizes` is changed by this order only. */
  constructor(
    group: KafkaGroup,
    private readonly sizes: Int32Array,
    included: (m: number) => boolean = () => true,
  ) {
    const { members } = group
    const byId = members.map((_, m) => m).sort((a, b) => (members[a]!.memberId < members[b]!.memberId ? -1 : 1))
    const idRank = new Array<number>(members.length)
    byId.forEach((m, rank) => {
      idRank[m] = rank
    })
    this.idRank = idRank
    this.list = byId.filter(included).sort((a, b) => sizes[a]! - sizes[b]!)
  }

  /** Ascending. */
  loads(): number[] {
    return this.list.map(m => this.sizes[m]!)
  }

  /** Difference between the most and the least loaded. */
  spread(): number {
    return this.list.length === 0 ? 0 : this.sizes[this.list.at(-1)!]! - this.sizes[this.list[0]!]!
  }

  has(m: number): boolean {
    return this.list[this.indexOf(m)] === m
  }

  /** The least loaded member that passes the test. */
  find(test: (m: number) => boolean): number | undefined {
    return this.list.find(test)
  }

  some(test: (m: number) => boolean): boolean {
    return this.list.some(test)
  }

  change(m: number, by: number): void {
    this.list.splice(this.indexOf(m), 1)
    this.sizes[m]! += by
    this.list.splice(this.indexOf(m), 0, m)
  }

  /** Where the member is or would be. */
  private indexOf(m: number): number {
    let [low, high] = [0, this.list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.precedes(this.list[middle]!, m)) low = middle + 1
      else high = middle
    }
    return low
  }

  private precedes(a: number, b: number): boolean {
    return this.sizes[a] === this.sizes[b] ? this.idRank[a]! < this.idRank[b]! : this.sizes[a]! < this.sizes[b]!
  }
}
