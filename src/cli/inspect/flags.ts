import { parseArgs } from 'node:util'
import type { ClusterSettings } from '../../cluster'
import { type Strategy, strategies } from '../../dry-run'
import { UsageError } from '../command'
import { connectionFlags, connectionHelp, connectionSettings } from '../connection-flags'
import type { Changes, Newcomers } from './changes'

export const inspectHelp = `Usage: kafkajs-sticky-assignor inspect --brokers host:port,… --group ID [options]
       kafkajs-sticky-assignor inspect --replay FILE [options]

Shows a live group, whatever clients its members use: what each member subscribes, was assigned, claimed and has still
to read, and whether the assignment is the best possible. It only reads; the group does not notice.

What if (asks the planner, not the group):
  --add N[=topic,…]         N members join; they subscribe what most members do, unless topics are given
  --remove MEMBER           a member leaves: its id, or the beginning of it; may be given several times
  --partitions topic=N      a topic grows to N partitions; 0: it is deleted; may be given several times
  --strategy NAME           plan with ${strategies.join(', ')}
  --claims current|joined   plan from what members have now, which is what they claim next (the default), or from what
                            they claimed when they last joined, which is what the last leader planned from
  --reasons                 say for each partition that moves why

Input and output:
  --save FILE               write what a leader of the group is told, before any what if, as a request of "plan"
  --replay FILE             read such a request instead of asking a cluster
  --format text|json        text unless given

${connectionHelp}`

export interface InspectOptions {
  /** A live group, or the request in a file. */
  readonly source: { readonly groupId: string; readonly settings: ClusterSettings } | { readonly replay: string }
  readonly changes: Changes
  /** Null: that of the group, or of the request. */
  readonly strategy: Strategy | null
  readonly claims: 'current' | 'joined'
  readonly reasons: boolean
  readonly save: string | null
  readonly format: 'text' | 'json'
}

/** Throws UsageError, or what parseArgs throws, for flags that make no sense. */
export function readFlags(args: string[], env: NodeJS.ProcessEnv): InspectOptions {
  const { values } = parseArgs({
    args,
    options: {
      ...connectionFlags,
      group: { type: 'string' },
      add: { type: 'string', multiple: true },
      remove: { type: 'string', multiple: true },
      partitions: { type: 'string', multiple: true },
      strategy: { type: 'string' },
      claims: { type: 'string' },
      reasons: { type: 'boolean', default: false },
      save: { type: 'string' },
      replay: { type: 'string' },
      format: { type: 'string' },
    },
  })
  return {
    source: sourceOf(values, env),
    changes: {
      add: (values.add ?? []).map(newcomers),
      remove: (values.remove ?? []).map(leaver),
      partitions: new Map((values.partitions ?? []).map(topicSize)),
    },
    strategy: values.strategy === undefined ? null : oneOf('--strategy', strategies, values.strategy),
    claims: oneOf('--claims', ['current', 'joined'], values.claims ?? 'current'),
    reasons: values.reasons,
    save: values.save ?? null,
    format: oneOf('--format', ['text', 'json'], values.format ?? 'text'),
  }
}

type SourceFlags = Parameters<typeof connectionSettings>[0] & {
  readonly group?: string | undefined
  readonly replay?: string | undefined
  readonly save?: string | undefined
  readonly claims?: string | undefined
}

function sourceOf(values: SourceFlags, env: NodeJS.ProcessEnv): InspectOptions['source'] {
  const { replay, group } = values
  if (replay !== undefined) {
    for (const other of ['group', 'brokers', 'save', 'claims'] as const) {
      if (values[other] !== undefined) throw new UsageError(`--replay asks no cluster: it goes without --${other}`)
    }
    return { replay }
  }
  if (!group) throw new UsageError('--group is missing: which group?')
  const settings = connectionSettings(values, env)
  if (settings.brokers.length === 0) throw new UsageError('--brokers is missing, and so is KAFKA_BROKERS')
  return { groupId: group, settings }
}

function newcomers(text: string): Newcomers {
  const [, count, topics] = /^([1-9]\d{0,4})(?:=(.+))?$/.exec(text) ?? []
  if (count === undefined) throw new UsageError(`--add: expected N or N=topic,…; got ${JSON.stringify(text)}`)
  return { count: Number(count), topics: topics === undefined ? null : topics.split(',') }
}

/** Every id begins with nothing: an empty variable of a shell would remove whoever is alone. */
function leaver(text: string): string {
  if (text === '') throw new UsageError('--remove: expected the id of a member, or its beginning; got ""')
  return text
}

function topicSize(text: string): [string, number] {
  const [, topic, count] = /^(.+)=(\d{1,7})$/.exec(text) ?? []
  if (topic === undefined) throw new UsageError(`--partitions: expected topic=N; got ${JSON.stringify(text)}`)
  return [topic, Number(count)]
}

function oneOf<T extends string>(flag: string, allowed: readonly T[], value: string): T {
  if (allowed.includes(value as T)) return value as T
  throw new UsageError(`${flag} must be one of ${allowed.join(', ')}; got ${JSON.stringify(value)}`)
}
