import type { Steps, Work } from '../steps'
import { type KafkaGroup, NO_GENERATION, NOBODY, type Owners } from './group'

/** What Kafka's sticky assignors make of the members' claims, in the order in which Java iterates the members. */
export interface KafkaClaims {
  /** Whether Kafka takes all subscriptions for equal and chooses its simpler algorithm. */
  readonly uniform: boolean
  /** Believed owner of each partition, or nobody. */
  readonly owned: Owners
  /** Partitions that were claimed twice in one generation. Java never takes one back, even if a newer claim follows. */
  readonly contested: ReadonlySet<number>
  /** Highest generation that any member named. */
  readonly maxGeneration: number
}

export function* readClaims(group: KafkaGroup, order: readonly number[], steps: Steps): Work<KafkaClaims> {
  const partitions = group.start.at(-1)!
  const owned: Owners = new Int32Array(partitions).fill(NOBODY)
  const claimant: Owners = new Int32Array(partitions).fill(NOBODY)
  const contested = new Set<number>()
  let maxGeneration = NO_GENERATION

  for (const m of order) {
    const { claims, generation } = group.members[m]!
    maxGeneration = Math.max(maxGeneration, generation)
    for (const p of claims) {
      const rival = claimant[p]!
      const rivalGeneration = rival === NOBODY ? NO_GENERATION : group.members[rival]!.generation
      if (generation < rivalGeneration) continue
      const tied = rival !== NOBODY && generation === rivalGeneration
      if (tied) contested.add(p)
      owned[p] = tied ? NOBODY : m
      claimant[p] = m
    }
    if (steps.spent(4 * claims.length)) yield
  }
  return { uniform: yield* looksUniform(group, order, steps), owned, contested, maxGeneration }
}

/** As Kafka tests it: an empty subscription that comes first is forgotten, and so equals any other. */
function* looksUniform(group: KafkaGroup, order: readonly number[], steps: Steps): Work<boolean> {
  let known = new Set<string>()
  for (const m of order) {
    const topics = new Set(group.members[m]!.subscription)
    if (steps.spent(16 * topics.size)) yield
    if (known.size === 0) known = topics
    else if (topics.size !== known.size || [...topics].some(topic => !known.has(topic))) return false
  }
  return true
}
