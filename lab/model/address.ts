/**
 * The scenario in the page's address, behind the `#`. Either `preset=KEY` or `group=` and the scenario in base64url,
 * and `step=N`. Addresses are typed, cut and mangled by people and programs: nothing in them is trusted.
 */

import {
  type Action,
  type Consumer,
  groupsOf,
  type Ownership,
  type Scenario,
  type Topic,
} from '../../src/scenario/scenario'
import { openingStep, presetOf } from './presets'

export interface Place {
  readonly scenario: Scenario
  /** Key of the preset that the scenario is, unchanged. */
  readonly preset?: string | undefined
  readonly step: number
}

/** What the page draws without trouble. A larger group belongs in `plan` and `compare` on the command line. */
export const limits = { topics: 24, partitions: 400, consumers: 64, steps: 100, name: 249 } as const

export function encode({ scenario, preset, step }: Place): string {
  const where = preset ? `preset=${encodeURIComponent(preset)}` : `group=${toBase64(JSON.stringify(pack(scenario)))}`
  return `${where}&step=${step}`
}

/** The place that an address names, undefined for an empty one. Throws an Error that says what cannot be read. */
export function decode(hash: string): Place | undefined {
  const text = hash.replace(/^#/, '')
  if (!text) return undefined
  const parameters = new URLSearchParams(text)
  const key = parameters.get('preset') ?? undefined
  const packed = parameters.get('group')
  const preset = key === undefined ? undefined : presetOf(key)
  const scenario = preset ?? (key === undefined && packed !== null ? unpack(parse(packed)) : undefined)
  if (!scenario) throw new Error(key === undefined ? 'it names no group' : `there is no preset "${key}"`)
  const groups = groupsOf(scenario)
  checkSize(scenario, groups)
  const step = Number(parameters.get('step') ?? (preset ? openingStep(preset) : scenario.steps.length))
  if (!Number.isInteger(step) || step < 0 || step > scenario.steps.length)
    throw new Error(`it asks for step ${parameters.get('step')} of ${scenario.steps.length}`)
  return { scenario, preset: key, step }
}

function checkSize(scenario: Scenario, groups: ReturnType<typeof groupsOf>): void {
  const most = (what: keyof typeof limits, count: number) => {
    if (count > limits[what]) throw new Error(`it has ${count} ${what}, and this page takes ${limits[what]}`)
  }
  most('steps', scenario.steps.length)
  for (const { topics, consumers } of groups) {
    most('topics', topics.length)
    most('consumers', consumers.length)
    most(
      'partitions',
      topics.reduce((sum, topic) => sum + topic.partitions, 0),
    )
  }
}

/** Why an action cannot be added, or undefined if it can. */
export function tooLarge(scenario: Scenario): string | undefined {
  try {
    checkSize(scenario, groupsOf(scenario))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

// The packed form: lists instead of objects, to keep addresses short.
type PackedTopic = [topic: string, partitions: number, racks?: string[], replicas?: number]
type PackedConsumer = [id: string, topics: string[] | 0, rackId?: string]

const pack = ({ start, steps }: Scenario) => ({
  t: start.topics.map(packTopic),
  c: start.consumers.map(packConsumer),
  ...(start.owned && { o: start.owned }),
  s: steps.map(step => step.map(packAction)),
})

const packTopic = ({ topic, partitions, racks, replicas = 1 }: Topic): PackedTopic =>
  racks?.length ? [topic, partitions, [...racks], replicas] : [topic, partitions]

const packConsumer = ({ id, topics, rackId }: Consumer): PackedConsumer => {
  const packed: PackedConsumer = [id, topics ? [...topics] : 0]
  if (rackId) packed.push(rackId)
  return packed
}

function packAction(action: Action): unknown[] {
  switch (action.do) {
    case 'join':
      return ['join', ...packConsumer(action.consumer)]
    case 'topic':
      return ['topic', ...packTopic(action.topic)]
    case 'delete':
      return ['delete', action.topic]
    case 'subscribe':
      return ['subscribe', action.id, action.topics ?? 0]
    default:
      return [action.do, action.id]
  }
}

function unpack(value: unknown): Scenario {
  const { t, c, o, s } = record(value, 'the group')
  const topics = list(t, 'topics').map(unpackTopic)
  const consumers = list(c, 'consumers').map(unpackConsumer)
  unique(
    topics.map(({ topic }) => topic),
    'topic',
  )
  unique(
    consumers.map(({ id }) => id),
    'consumer',
  )
  const owned = o === undefined ? undefined : unpackOwned(o, topics, consumers)
  const steps = list(s, 'steps').map(step => list(step, 'a step').map(unpackAction))
  return { start: { topics, consumers, ...(owned && { owned }) }, steps }
}

function unpackTopic(value: unknown): Topic {
  const [topic, partitions, racks, replicas = 1] = list(value, 'a topic')
  const shape = { topic: name(topic, 'a topic'), partitions: count(partitions, 'partitions') }
  if (racks === undefined) return shape
  return {
    ...shape,
    racks: list(racks, 'racks').map(rack => name(rack, 'a rack')),
    replicas: count(replicas, 'replicas'),
  }
}

function unpackConsumer(value: unknown): Consumer {
  const [id, topics, rackId] = list(value, 'a consumer')
  const consumer = { id: name(id, 'a consumer'), topics: unpackSubscription(topics) }
  return rackId === undefined ? consumer : { ...consumer, rackId: name(rackId, 'a rack') }
}

const unpackSubscription = (value: unknown) =>
  value === 0 ? null : list(value, 'a subscription').map(topic => name(topic, 'a topic'))

function unpackAction(value: unknown): Action {
  const [verb, ...rest] = list(value, 'an action')
  switch (verb) {
    case 'join':
      return { do: verb, consumer: unpackConsumer(rest) }
    case 'topic':
      return { do: verb, topic: unpackTopic(rest) }
    case 'delete':
      return { do: verb, topic: name(rest[0], 'a topic') }
    case 'subscribe':
      return { do: verb, id: name(rest[0], 'a consumer'), topics: unpackSubscription(rest[1]) }
    case 'leave':
    case 'crash':
    case 'restart':
      return { do: verb, id: name(rest[0], 'a consumer') }
    default:
      throw new Error(`it has an action ${JSON.stringify(verb)}`)
  }
}

function unpackOwned(value: unknown, topics: readonly Topic[], consumers: readonly Consumer[]): Ownership {
  const taken = new Set<string>()
  const entries = Object.entries(record(value, 'what is owned')).map(([id, byTopic]) => {
    if (!consumers.some(consumer => consumer.id === id)) throw new Error(`"${id}" owns something and is not there`)
    const lists = Object.entries(record(byTopic, 'what is owned')).map(([topic, partitions]) => {
      const size = topics.find(other => other.topic === topic)?.partitions ?? 0
      for (const partition of list(partitions, 'partitions')) {
        const valid = Number.isInteger(partition) && (partition as number) >= 0 && (partition as number) < size
        if (!valid) throw new Error(`"${id}" owns ${topic}-${partition}, which does not exist`)
        if (taken.has(`${partition} ${topic}`)) throw new Error(`${topic}-${partition} has two owners`)
        taken.add(`${partition} ${topic}`)
      }
      return [topic, partitions as number[]] as const
    })
    return [id, Object.fromEntries(lists)] as const
  })
  return Object.fromEntries(entries)
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${what} should be a list`)
  return value
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what} should be an object`)
  return value as Record<string, unknown>
}

function name(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > limits.name)
    throw new Error(`${what} should have a name of 1 to ${limits.name} characters`)
  return value
}

function count(value: unknown, what: string): number {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > limits.partitions)
    throw new Error(`${what} should be a number from 1 to ${limits.partitions}`)
  return value as number
}

function unique(names: readonly string[], what: string): void {
  const twice = names.find((one, index) => names.indexOf(one) !== index)
  if (twice !== undefined) throw new Error(`there are two ${what}s "${twice}"`)
}

function toBase64(text: string): string {
  const binary = Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function parse(base64: string): unknown {
  try {
    const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, c => c.charCodeAt(0))))
  } catch {
    throw new Error('the group in it is cut or mangled')
  }
}
