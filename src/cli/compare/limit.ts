import { maxPartitions } from '../../dry-run/read-request'
import type { Topic } from '../../scenario/scenario'

/** Says what is wrong with so many partitions, or undefined. */
export function tooManyPartitions(topics: readonly Topic[]): string | undefined {
  const all = topics.reduce((sum, { partitions }) => sum + partitions, 0)
  return all > maxPartitions ? `expected at most ${maxPartitions} partitions in all, got ${all}` : undefined
}
