import { parseArgs } from 'node:util'
import { planRequest } from '../dry-run'
import { StickyAssignorError } from '../errors'
import { type Command, type Io, write } from './command'
import { bytesOfAll, linesOf } from './lines'

const help = `Usage: kafkajs-sticky-assignor plan [--jsonl] < request.json

Reads a plan request as JSON on standard input and prints the plan as JSON: who gets which partition, what moves and
what the least possible would be. No broker is asked, no group is touched.

Options:
  --jsonl    read one request a line and answer each with a line, at once, until the input ends
  --help     show this text

A request:
  {"strategy":"sticky","topics":{"orders":6,"audit":[["r1","r2"],["r2"]]},
   "members":[{"memberId":"X","topics":["orders"],"owned":{"orders":[3,4]},"generation":7,"rackId":"r1"},
              {"memberId":"Y","metadata":"AAMAAAAB..."}]}

  strategy   sticky, cooperative-sticky, range, roundrobin, or kafka-sticky (Kafka's own algorithm, to compare with)
  topics     by name the partition count, or one list of replica racks for each partition
  members    each with its topics, what it owned and in which generation, instanceId and rackId where it has them;
             or with metadata: the base64 of the subscription bytes that it sends in JoinGroup
  reasons    true: explain each moved partition

A request that cannot be read is answered {"error":{"code","field","message"}}, without --jsonl also with exit status 2.
`

export const planCommand: Command = {
  summary: 'plan a group from a JSON request on standard input',
  help,
  async run(args, io) {
    const { values } = parseArgs({ args, options: { jsonl: { type: 'boolean', default: false } } })
    return values.jsonl ? answerLines(io) : answerOne(io)
  },
}

async function answerOne({ stdin, stdout }: Io): Promise<number> {
  const { text, failed } = answer(await bytesOfAll(stdin))
  await write(stdout, text)
  return failed ? 2 : 0
}

async function answerLines({ stdin, stdout }: Io): Promise<number> {
  for await (const line of linesOf(stdin)) {
    if (!isBlank(line)) await write(stdout, answer(line).text)
  }
  return 0
}

/** Nothing but JSON's white space: no request. */
const isBlank = (line: Uint8Array): boolean => line.every(byte => byte === 32 || byte === 9 || byte === 13)

/** The answer as a line. Whatever is wrong with a request, it is said in the answer. */
function answer(bytes: Uint8Array): { text: string; failed: boolean } {
  try {
    // A byte order mark at the beginning is dropped here.
    const request = new TextDecoder().decode(bytes)
    return { text: `${JSON.stringify(planRequest(request))}\n`, failed: false }
  } catch (error) {
    return { text: `${JSON.stringify({ error: errorFields(error) })}\n`, failed: true }
  }
}

function errorFields(error: unknown): { code: string; field?: string; message: string } {
  if (error instanceof StickyAssignorError) return { code: error.code, field: error.field, message: error.message }
  // A fault of the planner, or a request that no memory holds: the next request is answered all the same.
  return {
    code: 'STICKY_ERR_INTERNAL',
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  }
}
