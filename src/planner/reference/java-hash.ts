/**
 * The order in which Java iterates a HashMap or HashSet, which decides ties in Kafka's sticky assignor. A bucket that
 * Java would turn into a tree (eight keys and more) keeps its order of insertion here.
 */

/** `String.hashCode()`: an int32 over UTF-16 code units. */
export function javaHashCode(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0
  return hash
}

/** HashMap mixes the high bits in, because only the low ones choose the bucket. */
export const spreadHash = (hash: number): number => hash ^ (hash >>> 16)

/** Size of a table made by putting one key after the other: it doubles when more than three quarters full. */
export function tableSize(keys: number): number {
  let size = 16
  while (keys > 0.75 * size) size *= 2
  return size
}

/** Indexes of the keys in the order in which a HashMap that they were put into one by one iterates. */
export function hashOrder(keys: readonly string[]): number[] {
  const mask = tableSize(keys.length) - 1
  const buckets = keys.map(key => spreadHash(javaHashCode(key)) & mask)
  return keys.map((_, i) => i).sort((a, b) => buckets[a]! - buckets[b]! || a - b)
}

/** A HashSet of the partitions of one topic, of which only the first in its own order is ever asked. */
export class TopicPartitionHashSet {
  private readonly topicHash: number
  private size = 16
  /** Partitions by bucket, in order of insertion. */
  private buckets = new Map<number, number[]>()
  private count = 0

  constructor(topic: string) {
    this.topicHash = javaHashCode(topic)
  }

  get empty(): boolean {
    return this.count === 0
  }

  add(partition: number): void {
    this.put(partition)
    this.count++
    if (this.count <= 0.75 * this.size) return
    this.size *= 2
    const old = [...this.buckets.keys()].sort((a, b) => a - b).map(bucket => this.buckets.get(bucket)!)
    this.buckets = new Map()
    for (const bucket of old) for (const moved of bucket) this.put(moved)
  }

  delete(partition: number): void {
    const bucket = this.bucketOf(partition)
    const rest = this.buckets.get(bucket)!.filter(other => other !== partition)
    if (rest.length > 0) this.buckets.set(bucket, rest)
    else this.buckets.delete(bucket)
    this.count--
  }

  first(): number {
    let first = Number.POSITIVE_INFINITY
    for (const bucket of this.buckets.keys()) first = Math.min(first, bucket)
    return this.buckets.get(first)![0]!
  }

  private put(partition: number): void {
    const bucket = this.bucketOf(partition)
    const there = this.buckets.get(bucket)
    if (there) there.push(partition)
    else this.buckets.set(bucket, [partition])
  }

  /** By `TopicPartition.hashCode()`. */
  private bucketOf(partition: number): number {
    return spreadHash((Math.imul(31, 31 + partition) + this.topicHash) | 0) & (this.size - 1)
  }
}
