import type { Member, OracleGroup, Partition } from './oracle-group'

/**
 * The recipe for uniform groups, done step by step as one would on paper: targets, giving up, taking. Returns the owner
 * of each partition of the group.
 */
export function recipeByHand(group: OracleGroup): Member[] {
  const members = group.members
    .filter(({ topics }) => topics.size > 0)
    .sort((a, b) => ascending(a.memberId, b.memberId))
  const hands = new Map(members.map(member => [member, group.partitions.filter(({ owner }) => owner === member)]))
  const size = (member: Member) => hands.get(member)!.length

  const larger = group.partitions.length % members.length
  const byOwned = [...members].sort((a, b) => size(b) - size(a))
  const targets = new Map(
    members.map(m => [m, Math.floor(group.partitions.length / members.length) + (byOwned.indexOf(m) < larger ? 1 : 0)]),
  )

  for (const member of members) {
    const lowestFirst = [...hands.get(member)!].sort((a, b) => a.id - b.id || ascending(a.topic, b.topic))
    hands.set(member, lowestFirst.slice(0, targets.get(member)))
  }

  const taken = new Set([...hands.values()].flat())
  const unassigned = group.partitions.filter(partition => !taken.has(partition))
  unassigned.sort((a, b) => ascending(a.topic, b.topic) || a.id - b.id)
  for (const partition of unassigned) {
    let taker: Member | undefined
    for (const member of members) {
      if (size(member) < targets.get(member)! && (!taker || size(member) < size(taker))) taker = member
    }
    hands.get(taker!)!.push(partition)
  }

  const owners = new Map<Partition, Member>()
  for (const [member, hand] of hands) for (const partition of hand) owners.set(partition, member)
  return group.partitions.map(partition => owners.get(partition)!)
}

const ascending = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
