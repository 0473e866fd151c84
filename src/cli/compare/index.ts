import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Strategy } from '../../planner/types'
import type { Scenario } from '../../scenario/scenario'
import { type Command, type Io, UsageError, write } from '../command'
import { bytesOfAll } from '../lines'
import { BadScenario } from './bad-scenario'
import { compareStrategies } from './comparison'
import { parseJson } from './parse-json'
import { readScenario } from './read-scenario'
import { type Format, renderers } from './render'
import { uniformScenario } from './uniform-scenario'

const known: readonly Strategy[] = ['range', 'roundrobin', 'kafka-sticky', 'sticky', 'cooperative-sticky']

const help = `Usage: kafkajs-sticky-assignor compare --topics LIST [--partitions N] --consumers LIST [options]
       kafkajs-sticky-assignor compare --scenario FILE [options]

Plays the history of a group with several strategies, each from its own last assignment, and prints for every step who
has what, who is idle, how many partitions moved and how few could have. No broker is asked.

A group in which everybody subscribes everything:
  --topics LIST      a number, or names such as orders=12,audit=3
  --partitions N     partitions of the topics that LIST gives no count for
  --consumers LIST   sizes of the group, in order: 6,8,4 begins with six, two join, the last four leave
  --ids LIST         their member ids in the order of joining; c1,c2,… by default

Any other group:
  --scenario FILE    JSON with joins, leaves, crashes and changed subscriptions; - reads standard input
                     {"topics":{"orders":12},"consumers":["c1",{"id":"c2","topics":["orders"]}],
                      "steps":[{"join":["c3"]},{"crash":"c1"},{"subscribe":{"c2":[]}},{"leave":"c3","restart":"c1"}]}

Options:
  --strategies LIST  some of ${known.join(', ')}
                     (default: the first four; kafka-sticky is Kafka's own algorithm)
  --format FORMAT    text (default), markdown or json
  --help             show this text
`

export const compareCommand: Command = {
  summary: 'compare strategies on the history of a group',
  help,
  async run(args, io) {
    const { values } = parseArgs({
      args,
      options: {
        topics: { type: 'string' },
        partitions: { type: 'string' },
        consumers: { type: 'string' },
        ids: { type: 'string' },
        scenario: { type: 'string' },
        strategies: { type: 'string', default: known.slice(0, 4).join() },
        format: { type: 'string', default: 'text' },
      },
    })
    if (!Object.hasOwn(renderers, values.format)) {
      throw new UsageError(`--format: expected text, markdown or json, got ${JSON.stringify(values.format)}`)
    }
    const strategies = values.strategies.split(',').map(readStrategy)
    let scenario: Scenario
    try {
      scenario = await readGiven(values, io)
    } catch (error) {
      if (!(error instanceof BadScenario)) throw error
      await write(io.stderr, `compare: ${values.scenario}: ${error.message}\n`)
      return 2
    }
    await write(io.stdout, renderers[values.format as Format](compareStrategies(scenario, strategies)))
    return 0
  },
}

function readStrategy(name: string): Strategy {
  const strategy = known.find(other => other === name.trim())
  if (!strategy) throw new UsageError(`--strategies: expected some of ${known.join(', ')}, got ${JSON.stringify(name)}`)
  return strategy
}

interface Values {
  readonly topics?: string | undefined
  readonly partitions?: string | undefined
  readonly consumers?: string | undefined
  readonly ids?: string | undefined
  readonly scenario?: string | undefined
}

async function readGiven({ scenario, topics, partitions, consumers, ids }: Values, io: Io): Promise<Scenario> {
  if (scenario === undefined) {
    if (topics === undefined || consumers === undefined) {
      throw new UsageError('expected --topics and --consumers, or --scenario')
    }
    return uniformScenario({ topics, partitions, consumers, ids })
  }
  for (const [flag, value] of Object.entries({ topics, partitions, consumers, ids })) {
    if (value !== undefined) throw new UsageError(`--${flag}: not with --scenario, which says it`)
  }
  return readScenario(parseJson(await textOf(scenario, io)))
}

async function textOf(file: string, { stdin }: Io): Promise<string> {
  try {
    return new TextDecoder().decode(file === '-' ? await bytesOfAll(stdin) : await readFile(file))
  } catch (error) {
    throw new BadScenario('', `cannot be read: ${(error as Error).message}`)
  }
}
