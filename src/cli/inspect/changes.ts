import type { TopicSpec } from '../../planner/types'
import { printable } from './printable'
import { type MemberJson, partitionCount, type RequestJson, readMember } from './request'

/** Members that join. Without topics they subscribe what most of the others do. */
export interface Newcomers {
  readonly count: number
  readonly topics: readonly string[] | null
}

export interface Changes {
  readonly add: readonly Newcomers[]
  /** Member ids, or the beginnings of them. */
  readonly remove: readonly string[]
  /** New partition counts; 0 deletes the topic. */
  readonly partitions: ReadonlyMap<string, number>
}

/** A change that makes no sense in this group; the message says why. */
export class ImpossibleChange extends Error {}

export interface Changed {
  readonly request: RequestJson
  readonly newIds: readonly string[]
  /** The changes in words. */
  readonly words: readonly string[]
}

/**
 * The request after the changes. Names of new members cannot be known: `nameOf` makes them up.
 *
 * @throws ImpossibleChange
 */
export function applyChanges(
  request: RequestJson,
  changes: Changes,
  nameOf: (n: number) => string = n => `new-${n}`,
): Changed {
  const words: string[] = []
  let { members } = request
  for (const wanted of changes.remove) {
    const leaver = find(members, wanted)
    members = members.filter(member => member !== leaver)
    words.push(`${leaver.memberId} leaves`)
  }
  const topics = new Map(Object.entries(request.topics))
  for (const [topic, count] of changes.partitions) words.push(resize(topics, topic, count))
  const newIds: string[] = []
  const taken = new Set(request.members.map(({ memberId }) => memberId))
  for (const { count, topics: wanted } of changes.add) {
    const subscribed = wanted ?? commonTopics(request)
    for (const topic of wanted ?? []) {
      if (!topics.has(topic))
        throw new ImpossibleChange(`a new member cannot read topic "${topic}", which does not exist`)
    }
    for (let left = count, n = 1; left > 0; n++) {
      const memberId = nameOf(n)
      if (taken.has(memberId)) continue
      taken.add(memberId)
      newIds.push(memberId)
      members = [...members, { memberId, topics: subscribed }]
      left--
    }
    words.push(
      `${count} ${count === 1 ? 'member joins' : 'members join'} and ${count === 1 ? 'reads' : 'read'} ${subscribed.join(', ')}`,
    )
  }
  return { request: { ...request, topics: Object.fromEntries(topics), members }, newIds, words }
}

function find(members: readonly MemberJson[], wanted: string): MemberJson {
  const exact = members.find(({ memberId }) => memberId === wanted)
  if (exact) return exact
  const found = members.filter(({ memberId }) => memberId.startsWith(wanted))
  if (found.length === 1) return found[0]!
  const why = found.length === 0 ? 'no member has such an id' : `the ids of ${found.length} members begin so`
  const listed = (found.length === 0 ? members : found).map(({ memberId }) => printable(memberId))
  throw new ImpossibleChange(`cannot remove "${wanted}": ${why}\n  ${listed.join('\n  ')}`)
}

/** Changes one topic and says what it did. */
function resize(topics: Map<string, TopicSpec>, topic: string, count: number): string {
  const spec = topics.get(topic)
  const before = spec === undefined ? 0 : partitionCount(spec)
  if (count === 0) {
    if (spec === undefined) throw new ImpossibleChange(`cannot delete topic "${topic}", which the group does not read`)
    topics.delete(topic)
    return `topic ${topic} is deleted`
  }
  if (count < before) {
    throw new ImpossibleChange(`topic "${topic}" has ${before} partitions and cannot shrink to ${count}`)
  }
  // Replicas of partitions to come are nowhere yet.
  const grown = typeof spec === 'object' ? [...spec, ...Array.from({ length: count - before }, () => [])] : count
  topics.set(topic, grown)
  return `topic ${topic} ${before === 0 ? `appears with ${count}` : `grows from ${before} to ${count}`} partitions`
}

/** The subscription that most members have; of equals the one that comes first. */
function commonTopics({ members, strategy }: RequestJson): readonly string[] {
  const counts = new Map<string, { topics: readonly string[]; count: number }>()
  for (const member of members) {
    const topics = [...new Set(readMember(member, strategy).topics)].sort()
    const known = counts.get(topics.join('\n'))
    if (known) known.count++
    else if (topics.length > 0) counts.set(topics.join('\n'), { topics, count: 1 })
  }
  const common = [...counts.entries()].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))[0]
  if (!common)
    throw new ImpossibleChange('no member subscribes a topic: say which ones a new member does, --add N=topic,…')
  return common[1].topics
}
