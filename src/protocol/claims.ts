import type { NameTable } from './names'
import type { Problem, Subscription, TopicPartitions } from './types'
import { decodeCooperativeUserData, decodeStickyUserData } from './user-data'

/** What a member says it has, by the rules of the strategy. At most one of the two lists has entries. */
export interface MemberClaims {
  /** Held: the member may be working on them now. */
  readonly owned: readonly TopicPartitions[]
  /** Let go before the member joined, but had last. */
  readonly released: readonly TopicPartitions[]
  /** In which the claims were assigned; null where unknown. */
  readonly generation: number | null
  /** Why claims were lost, the subscription's own problem included. */
  readonly problem: Problem | null
}

const nothing: MemberClaims = { owned: [], released: [], generation: null, problem: null }

/**
 * Where a member's claims are, as Kafka's own assignors read them:
 * - `sticky`: in the userData and nowhere else, generation included; its members are eager, so all are released;
 * - all others: in ownedPartitions, of the subscription's generation, else of the one in the userData. Only beside
 *   empty ownedPartitions does userData of sticky's layout count, as released claims of its own generation: franz-go
 *   and librdkafka repeat what they own there, and Java writes 4 bytes that hold no claim.
 *
 * A subscription with a problem claims nothing.
 */
export function claimsOf(subscription: Subscription, strategy: string, names?: NameTable): MemberClaims {
  const { problem, userData, ownedPartitions, generationId } = subscription
  if (problem) return { ...nothing, problem }
  const inOwned = strategy !== 'sticky' && strategy !== 'kafka-sticky'
  if (inOwned && hasPartition(ownedPartitions)) {
    const generation =
      generationId ?? decodeCooperativeUserData(userData) ?? decodeStickyUserData(userData, names).generation
    return { ...nothing, owned: ownedPartitions, generation }
  }
  if (inOwned && userData?.length === 4) return nothing
  const { partitions, generation, problem: unread } = decodeStickyUserData(userData, names)
  // Only these two strategies say what their userData is.
  if (unread) return { ...nothing, problem: inOwned && strategy !== 'cooperative-sticky' ? null : unread }
  return hasPartition(partitions) ? { ...nothing, released: partitions, generation } : nothing
}

function hasPartition(list: readonly TopicPartitions[]): boolean {
  return list.some(({ partitions }) => partitions.length > 0)
}
