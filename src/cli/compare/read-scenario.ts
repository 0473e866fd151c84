/** A scenario as people write it, in JSON; docs/compare.md describes it. */
import {
  type Action,
  apply,
  type Consumer,
  type Ownership,
  type Scenario,
  type Step,
  startOf,
  type Topic,
} from '../../scenario/scenario'
import { BadScenario, expected } from './bad-scenario'
import { tooManyPartitions } from './limit'

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws BadScenario with the place and what was expected there. */
export function readScenario(value: unknown): Scenario {
  const fields = readFields(value, '', ['topics', 'consumers', 'owned', 'steps'])
  const topics = readTopics(fields.topics, 'topics')
  const consumers = readConsumers(fields.consumers, 'consumers')
  const { owned, steps = [] } = fields
  if (!Array.isArray(steps)) throw expected('steps', 'a list of steps', steps)
  const scenario: Scenario = {
    start: { topics, consumers, ...(owned === undefined ? {} : { owned: readOwned(owned) }) },
    steps: steps.map((step, i) => readStep(step, `steps[${i}]`)),
  }
  checkHistory(scenario)
  return scenario
}

function readFields(value: unknown, place: string, known: readonly string[]): Fields {
  if (!isFields(value)) throw expected(place, `an object with ${known.join(', ')}`, value)
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      throw new BadScenario(fieldOf(place, name), `unknown; expected one of ${known.join(', ')}`)
  }
  return value
}

function fieldOf(place: string, name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `${place}[${JSON.stringify(name)}]`
  return place === '' ? name : `${place}.${name}`
}

function readTopics(value: unknown, place: string): Topic[] {
  if (!isFields(value)) throw expected(place, 'an object of topics', value)
  return Object.entries(value).map(([topic, spec]) => readTopic(topic, spec, fieldOf(place, topic)))
}

function readTopic(topic: string, spec: unknown, place: string): Topic {
  if (!isFields(spec)) return { topic, partitions: readCount(spec, place) }
  const { partitions, racks, replicas } = readFields(spec, place, ['partitions', 'racks', 'replicas'])
  return {
    topic,
    partitions: readCount(partitions, `${place}.partitions`),
    racks: racks === undefined ? undefined : readNames(racks, `${place}.racks`, 'a list of racks'),
    replicas: replicas === undefined ? undefined : readCount(replicas, `${place}.replicas`),
  }
}

function readCount(value: unknown, place: string): number {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > 1_000_000) {
    throw expected(place, 'a number from 0 to 1000000', value)
  }
  return value as number
}

function readNames(value: unknown, place: string, what: string): string[] {
  if (!Array.isArray(value)) throw expected(place, what, value)
  value.forEach((name, i) => {
    if (typeof name !== 'string') throw expected(`${place}[${i}]`, 'a name', name)
  })
  return value as string[]
}

/** A number stands for c1, c2, … */
function readConsumers(value: unknown, place: string): Consumer[] {
  if (typeof value === 'number')
    return Array.from({ length: readCount(value, place) }, (_, i) => ({ id: `c${i + 1}`, topics: null }))
  if (!Array.isArray(value)) throw expected(place, 'a list of consumers, or their number', value)
  return value.map((consumer, i) => readConsumer(consumer, `${place}[${i}]`))
}

function readConsumer(value: unknown, place: string): Consumer {
  if (typeof value === 'string') return { id: value, topics: null }
  if (!isFields(value)) throw expected(place, 'the id of a consumer, or an object with id, topics, rack', value)
  const { id, topics, rack } = readFields(value, place, ['id', 'topics', 'rack'])
  if (typeof id !== 'string') throw expected(`${place}.id`, 'an id', id)
  if (rack !== undefined && rack !== null && typeof rack !== 'string') throw expected(`${place}.rack`, 'a rack', rack)
  return { id, topics: readSubscription(topics, `${place}.topics`), rackId: rack ?? null }
}

function readSubscription(value: unknown, place: string): string[] | null {
  return value === undefined || value === null ? null : readNames(value, place, 'a list of topics')
}

function readOwned(value: unknown): Ownership {
  if (!isFields(value)) throw expected('owned', 'an object of consumers', value)
  for (const [id, byTopic] of Object.entries(value)) {
    const place = fieldOf('owned', id)
    if (!isFields(byTopic)) throw expected(place, 'an object of topics', byTopic)
    for (const [topic, partitions] of Object.entries(byTopic)) {
      const inside = fieldOf(place, topic)
      if (!Array.isArray(partitions)) throw expected(inside, 'a list of partitions', partitions)
      partitions.forEach((partition, i) => {
        readCount(partition, `${inside}[${i}]`)
      })
    }
  }
  return value as Ownership
}

const verbs = ['leave', 'crash', 'delete', 'topics', 'subscribe', 'restart', 'join'] as const

/** All that is in one step happens before one rebalance; those that go first, those that come last. */
function readStep(value: unknown, place: string): Step {
  const fields = readFields(value, place, verbs)
  return verbs.flatMap(verb => (fields[verb] === undefined ? [] : readActions(verb, fields[verb], `${place}.${verb}`)))
}

function readActions(verb: (typeof verbs)[number], value: unknown, place: string): Action[] {
  switch (verb) {
    case 'leave':
    case 'crash':
    case 'restart':
      return oneOrMore(value, place, 'an id').map(id => ({ do: verb, id }))
    case 'delete':
      return oneOrMore(value, place, 'a topic').map(topic => ({ do: verb, topic }))
    case 'join':
      return readConsumers(Array.isArray(value) ? value : [value], place).map(consumer => ({ do: verb, consumer }))
    case 'topics':
      return readTopics(value, place).map(topic => ({ do: 'topic', topic }))
    case 'subscribe':
      if (!isFields(value)) throw expected(place, 'an object of consumers and their topics', value)
      return Object.entries(value).map(([id, topics]) => ({
        do: verb,
        id,
        topics: readSubscription(topics, fieldOf(place, id)),
      }))
  }
}

function oneOrMore(value: unknown, place: string, what: string): string[] {
  return typeof value === 'string' ? [value] : readNames(value, place, `${what} or a list of them`)
}

/** Whether each step can happen to the group as it then is. */
function checkHistory({ start, steps }: Scenario): void {
  const ids = start.consumers.map(({ id }) => id)
  ids.forEach((id, i) => {
    if (ids.indexOf(id) < i) throw new BadScenario(`consumers[${i}]`, `"${id}" is there already`)
  })
  let group = startOf(start)
  checkSize(group.topics, 'topics')
  for (const [id, byTopic] of Object.entries(start.owned ?? {})) {
    const place = fieldOf('owned', id)
    if (!ids.includes(id)) throw expected(place, 'one of the consumers', id)
    for (const [topic, partitions] of Object.entries(byTopic)) {
      const count = start.topics.find(other => other.topic === topic)?.partitions ?? 0
      const beyond = partitions.find(partition => partition >= count)
      if (beyond !== undefined) throw expected(fieldOf(place, topic), `partitions below ${count}`, beyond)
    }
  }
  steps.forEach((step, i) => {
    try {
      group = apply(group, step)
    } catch (error) {
      throw new BadScenario(`steps[${i}]`, (error as Error).message)
    }
    checkSize(group.topics, `steps[${i}]`)
  })
}

function checkSize(topics: readonly Topic[], place: string): void {
  const problem = tooManyPartitions(topics)
  if (problem) throw new BadScenario(place, problem)
}
