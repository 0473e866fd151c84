import type { PartitionLists } from './lists'

/** A set of partition numbers, one bit for each. */
export class PartitionSet {
  readonly bits: Int32Array

  constructor(readonly partitions: number) {
    this.bits = new Int32Array((partitions + 31) >>> 5)
  }

  copy(): PartitionSet {
    const copy = new PartitionSet(this.partitions)
    copy.bits.set(this.bits)
    return copy
  }

  has(partition: number): boolean {
    return (this.bits[partition >>> 5]! & (1 << (partition & 31))) !== 0
  }

  add(partition: number): void {
    this.bits[partition >>> 5]! |= 1 << (partition & 31)
  }

  delete(partition: number): void {
    this.bits[partition >>> 5]! &= ~(1 << (partition & 31))
  }

  /** Writes the partitions from `start` to `end - 1` that are not in the set to `out`, from `at` on; returns where they end. */
  writeMissing(start: number, end: number, out: Int32Array, at: number): number {
    const { bits } = this
    for (let word = start >>> 5; word << 5 < end; word++) {
      let missing = ~bits[word]!
      if (word << 5 < start) missing &= -1 << (start & 31)
      for (; missing !== 0; missing &= missing - 1) {
        const partition = (word << 5) + (31 - Math.clz32(missing & -missing))
        if (partition >= end) return at
        out[at++] = partition
      }
    }
    return at
  }
}

export function setOfLists({ ids }: PartitionLists, partitions: number): PartitionSet {
  const set = new PartitionSet(partitions)
  for (let i = 0; i < ids.length; i++) set.add(ids[i]!)
  return set
}
