import type { PlanMember, PlanRequest, TopicPartitions } from '../../src/planner/types'

/**
 * A group in one line: `t=4 u=1 | A: t: t-0 t-3 @2 | B: t u: t-1 | C: *:` has topics with partition counts, then members
 * with their topics (`*` for all), what they claim and in which generation (1; `@-` for none).
 */
export function oneLine(text: string, strategy: PlanRequest['strategy'] = 'sticky'): PlanRequest {
  const [counts, ...members] = text.split('|').map(part => part.trim())
  const topics = Object.fromEntries(
    words(counts!)
      .map(word => word.split('='))
      .map(([topic, count]) => [topic!, Number(count)]),
  )
  return { strategy, topics, members: members.map(member => readMember(member, Object.keys(topics))) }
}

function readMember(text: string, all: readonly string[]): PlanMember {
  const [id = '', topics = '', claims = ''] = text.split(':')
  const owned = words(claims).filter(word => !word.startsWith('@'))
  const generation =
    words(claims)
      .find(word => word.startsWith('@'))
      ?.slice(1) ?? '1'
  return {
    memberId: id.trim(),
    topics: topics.trim() === '*' ? all : words(topics),
    owned: owned.map(readClaim),
    generation: generation === '-' ? null : Number(generation),
  }
}

/** `t-3`, or `t-3..5` for several; the partition may be negative. */
function readClaim(text: string): TopicPartitions {
  const [, topic = '', first = '', last = first] = /^(.*?)-(-?\d+)(?:\.\.(\d+))?$/.exec(text) ?? []
  const count = Number(last) - Number(first) + 1
  return { topic, partitions: Array.from({ length: count }, (_, i) => Number(first) + i) }
}

const words = (text: string): string[] => text.split(' ').filter(word => word !== '')
