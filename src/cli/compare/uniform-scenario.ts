import type { Action, Consumer, Scenario, Topic } from '../../scenario/scenario'
import { UsageError } from '../command'
import { tooManyPartitions } from './limit'

export interface UniformFlags {
  readonly topics: string
  readonly partitions?: string | undefined
  readonly consumers: string
  readonly ids?: string | undefined
}

/** A group in which everybody subscribes everything, and that grows and shrinks through some sizes. */
export function uniformScenario(flags: UniformFlags): Scenario {
  const topics = readTopics(flags.topics, flags.partitions)
  const [first = 0, ...sizes] = flags.consumers
    .split(',')
    .map(text => readNumber(text, '--consumers', 'numbers of consumers, such as 6,8,4'))
  const names = flags.ids?.split(',') ?? []
  const consumers = range(0, Math.max(names.length, first, ...sizes)).map(
    (i): Consumer => ({ id: names[i] ?? `c${i + 1}`, topics: null }),
  )
  if (new Set(consumers.map(({ id }) => id)).size < consumers.length)
    throw new UsageError('--ids: expected different ids, and none of c1,c2,… that another consumer gets by default')

  let size = first
  const steps = sizes.map(next => {
    const from = size
    size = next
    if (next >= from) return consumers.slice(from, next).map((consumer): Action => ({ do: 'join', consumer }))
    return consumers.slice(next, from).map(({ id }): Action => ({ do: 'leave', id }))
  })
  return { start: { topics, consumers: consumers.slice(0, first) }, steps }
}

/** `3` for t1, t2, t3, or names, each with its own count or not: `orders=12,audit`. */
function readTopics(text: string, partitions: string | undefined): Topic[] {
  const names = /^\d+$/.test(text)
    ? range(0, readNumber(text, '--topics', 'a number')).map(i => `t${i + 1}`)
    : text.split(',')
  const topics = names.map(item => {
    const [topic = '', own, ...more] = item.split('=')
    const count = own ?? partitions
    if (topic === '' || more.length > 0)
      throw new UsageError('--topics: expected a number, or names such as orders=12,audit=3')
    if (count === undefined) throw new UsageError(`--partitions: expected the partition count of ${topic}`)
    const flag = own === undefined ? '--partitions' : '--topics'
    return { topic, partitions: readNumber(count, flag, 'a partition count') }
  })
  if (new Set(topics.map(({ topic }) => topic)).size < topics.length)
    throw new UsageError('--topics: expected different names')
  const problem = tooManyPartitions(topics)
  if (problem) throw new UsageError(`--topics: ${problem}`)
  return topics
}

function readNumber(text: string, flag: string, what: string): number {
  if (!/^\d{1,6}$/.test(text.trim())) throw new UsageError(`${flag}: expected ${what}, got ${JSON.stringify(text)}`)
  return Number(text)
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
