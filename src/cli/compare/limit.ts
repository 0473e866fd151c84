import type { Topic } from '../../scenario/scenario'

/** As for `plan`: beyond any cluster, and keeps a mistyped count from using up the memory. */
const maxPartitions = 10_000_000

/** Says what is wrong with so many partitions, or undefined. */
export function tooManyPartitions(topics: readonly Topic[]): string | undefined {
  const all = topics.reduce((sum, { partitions }) => sum + partitions, 0)
  return all > maxPartitions ? `expected at most ${maxPartitions} partitions in all, got ${all}` : undefined
}
