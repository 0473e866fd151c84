/** Steps and moves in words. */

import type { Action, Consumer, Step, Topic } from './scenario'

/** One sentence without a full stop, such as `c2 crashes, c4 joins`. */
export function describe(step: Step): string {
  return grouped(step)
    .map(([verb, names]) => sentence(verb, names))
    .join(', ')
}

type Verb = Action['do']

/** Neighbouring actions of one kind as one: `c2, c3 and c4 join`. */
function grouped(step: Step): [Verb, string[]][] {
  const groups: [Verb, string[]][] = []
  for (const action of step) {
    const last = groups.at(-1)
    const name = nameOf(action)
    if (last?.[0] === action.do && action.do in plural) last[1].push(name)
    else groups.push([action.do, [name]])
  }
  return groups
}

function nameOf(action: Action): string {
  switch (action.do) {
    case 'join':
      return action.consumer.id
    case 'topic':
      return shapeInWords(action.topic)
    case 'delete':
      return action.topic
    case 'subscribe':
      return `${action.id} subscribes ${subscriptionInWords(action)}`
    default:
      return action.id
  }
}

const singular = { join: 'joins', leave: 'leaves', crash: 'crashes', restart: 'starts again' }
const plural = { join: 'join', leave: 'leave', crash: 'crash', restart: 'start again' }

function sentence(verb: Verb, names: readonly string[]): string {
  if (verb === 'subscribe') return names[0]!
  if (verb === 'topic') return `topic ${names[0]}`
  if (verb === 'delete') return `topic ${names[0]} is deleted`
  return `${enumerate(names)} ${names.length > 1 ? plural[verb] : singular[verb]}`
}

export const shapeInWords = ({ topic, partitions, racks }: Topic): string =>
  `${topic} has ${partitions} ${partitions === 1 ? 'partition' : 'partitions'}${racks?.length ? ` in racks ${racks.join(', ')}` : ''}`

export const subscriptionInWords = ({ topics }: Pick<Consumer, 'topics'>): string =>
  topics === null ? 'every topic' : topics.length === 0 ? 'nothing' : enumerate(topics)

/** `a`, `a and b`, `a, b and c`; long lists are cut short. */
export function enumerate(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? ''
  if (names.length > 5) return `${names[0]}, ${names[1]} … ${names.at(-1)} (${names.length})`
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
