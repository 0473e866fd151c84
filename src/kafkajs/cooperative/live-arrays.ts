import { keyOf, type PartitionKey, partitionOf } from './partition-key'

/**
 * The arrays of partition ids that kafkajs works on. ConsumerGroup puts one array for each topic into its
 * SubscriptionState, its OffsetManager and the GROUP_JOIN event; what is added to it is fetched from the next fetch on,
 * and what is removed is not.
 */
export class LiveArrays {
  private arrays = new Map<string, number[]>()

  /** @param onSeek kafkajs applies the user's seek of a partition. */
  constructor(private readonly onSeek: (key: PartitionKey) => void) {}

  get adopted(): boolean {
    return this.arrays.size > 0
  }

  /** Takes over the arrays of a GROUP_JOIN payload. False, and nothing is taken, unless each topic has one. */
  adopt(memberAssignment: unknown, topics: readonly string[]): boolean {
    const arrays = new Map<string, number[]>()
    for (const topic of topics) {
      const array = Object(memberAssignment)[topic]
      if (!Array.isArray(array)) return false
      arrays.set(topic, array)
    }
    this.arrays = arrays
    for (const [topic, array] of arrays) this.watchSeeks(topic, array)
    return true
  }

  release(): void {
    this.arrays = new Map()
  }

  /** Makes the arrays hold exactly these partitions. */
  align(keys: ReadonlySet<PartitionKey>): void {
    for (const [topic, array] of this.arrays)
      for (let i = array.length - 1; i >= 0; i--) if (!keys.has(keyOf(topic, array[i]!))) array.splice(i, 1)
    for (const key of keys) this.add(key)
  }

  add(key: PartitionKey): void {
    const { topic, partition } = partitionOf(key)
    const array = this.arrays.get(topic)
    if (array && array.indexOf(partition) < 0) array.push(partition)
  }

  remove(key: PartitionKey): void {
    const { topic, partition } = partitionOf(key)
    const array = this.arrays.get(topic)
    const index = array?.indexOf(partition) ?? -1
    if (index >= 0) array!.splice(index, 1)
  }

  /**
   * OffsetManager.seek asks `includes` of the array, and nothing else does: the only sign of a user's seek where
   * offsets are not committed automatically.
   */
  private watchSeeks(topic: string, array: number[]): void {
    Object.defineProperty(array, 'includes', {
      configurable: true,
      value: (partition: number) => {
        this.onSeek(keyOf(topic, partition))
        return array.indexOf(partition) >= 0
      },
    })
  }
}
