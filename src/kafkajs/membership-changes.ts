import type { PlanMember } from '../planner/types'

export interface MembershipChanges {
  readonly joined: readonly string[]
  readonly left: readonly string[]
  readonly resubscribed: readonly string[]
}

/** Remembers who was in the last plan of this leader and what each subscribed, as a hash: a group may be large. */
export class MembershipMemory {
  private last: ReadonlyMap<string, number> | null = null

  /** What changed since the last call; nothing at the first. */
  changes(members: readonly PlanMember[]): MembershipChanges {
    const before = this.last
    const now = subscriptionHashes(members)
    this.last = now
    if (!before) return { joined: [], left: [], resubscribed: [] }
    return {
      joined: [...now.keys()].filter(id => !before.has(id)).sort(),
      left: [...before.keys()].filter(id => !now.has(id)).sort(),
      resubscribed: [...now.keys()].filter(id => before.has(id) && before.get(id) !== now.get(id)).sort(),
    }
  }
}

function subscriptionHashes(members: readonly PlanMember[]): Map<string, number> {
  const hashes = new Map<string, number>()
  const ofName = new Map<string, number>()
  let topics: readonly string[] = []
  let sum = 0
  for (const member of members) {
    // Members that subscribe the same share one array.
    if (member.topics !== topics) {
      topics = member.topics
      sum = 0
      for (const name of new Set(topics)) {
        let hash = ofName.get(name)
        if (hash === undefined) ofName.set(name, (hash = hashOf(name)))
        // A sum, so that the order does not matter.
        sum = (sum + hash) % Number.MAX_SAFE_INTEGER
      }
    }
    hashes.set(member.memberId, sum)
  }
  return hashes
}

/** 52 bits, from two rounds of FNV-1a. */
function hashOf(name: string): number {
  let a = 0x811c9dc5
  let b = 0x01234567
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x01000193)
  }
  return (a >>> 0) * 0x100000 + (b >>> 12)
}
