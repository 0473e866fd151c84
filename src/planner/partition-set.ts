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
}

export function setOfLists({ ids }: PartitionLists, partitions: number): PartitionSet {
  const set = new PartitionSet(partitions)
  for (let i = 0; i < ids.length; i++) set.add(ids[i]!)
  return set
}
