import type { Group } from './group'
import type { RejectedClaimReason, RejectedClaims } from './types'

const exampleLimit = 5

/** Collects claims that are not believed, by member, topic and reason. */
export class Rejections {
  private readonly found = new Map<string, Found>()

  /** Claims of the entry at hand that were rejected, by topic. */
  private ofEntry: Map<string, Set<unknown>> | undefined

  /** From here on it is another entry's claims that are rejected. */
  startEntry(): void {
    this.ofEntry = undefined
  }

  /** A claim that an entry repeats counts once; false if it was rejected before. */
  addOnce(member: number, topic: string, reason: RejectedClaimReason, claim: unknown): boolean {
    this.ofEntry ??= new Map()
    let seen = this.ofEntry.get(topic)
    if (!seen) this.ofEntry.set(topic, (seen = new Set()))
    if (seen.has(claim)) return false
    seen.add(claim)
    this.add(member, topic, reason, claim)
    return true
  }

  /** `claim` is the partition id as it was claimed. */
  add(member: number, topic: string, reason: RejectedClaimReason, claim: unknown): void {
    const key = `${member} ${reason} ${topic}`
    let found = this.found.get(key)
    if (!found) this.found.set(key, (found = { member, topic, reason, count: 0, examples: [] }))
    found.count++
    keepSmallest(found.examples, claim)
  }

  /** Ascending by member, topic and reason, whatever the order in which they were added. */
  list(group: Group): RejectedClaims[] {
    return [...this.found.values()]
      .sort((a, b) => a.member - b.member || compare(a.topic, b.topic) || compare(a.reason, b.reason))
      .map(({ member, topic, reason, count, examples }) => ({
        memberId: group.memberIds[member]!,
        topic,
        reason,
        count,
        examples,
      }))
  }
}

interface Found {
  readonly member: number
  readonly topic: string
  readonly reason: RejectedClaimReason
  readonly examples: unknown[]
  count: number
}

/** The smallest few, so that the order of the claims does not show. */
function keepSmallest(examples: unknown[], claim: unknown): void {
  let at = examples.length
  while (at > 0 && isBefore(claim, examples[at - 1])) at--
  if (at >= exampleLimit) return
  examples.splice(at, 0, claim)
  if (examples.length > exampleLimit) examples.pop()
}

function isBefore(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b || (!Number.isNaN(a) && Number.isNaN(b))
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number'
  return label(a) < label(b)
}

/** Claims are untrusted: an object without a usable toString must not throw. */
function label(claim: unknown): string {
  try {
    return `${typeof claim} ${typeof claim === 'symbol' ? claim.toString() : String(claim)}`
  } catch {
    return typeof claim
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
