import { readFile, writeFile } from 'node:fs/promises'
import { ClusterError, connectCluster, Deadline, type LiveGroup, readGroup } from '../../cluster'
import { type Strategy, strategies } from '../../dry-run'
import { readRequest } from '../../dry-run/read-request'
import { StickyAssignorError } from '../../errors'
import { type Command, write } from '../command'
import { ImpossibleChange } from './changes'
import { type InspectOptions, inspectHelp, readFlags } from './flags'
import { printable, printableJson } from './printable'
import { type Report, reportOn } from './report'
import { currentRequest, joinedRequest, type RequestJson } from './request'
import { renderText } from './text'
import { whatIf } from './what-if'

export const inspectCommand: Command = {
  summary: 'show a live group, and what would move if it changed',
  help: inspectHelp,
  async run(args, io) {
    const options = readFlags(args, process.env)
    try {
      const report = await reportFor(options)
      await write(io.stdout, options.format === 'json' ? `${printableJson(report)}\n` : renderText(report))
      return 0
    } catch (error) {
      const { status, code, message } = explain(error)
      if (options.format === 'json') await write(io.stdout, `${printableJson({ error: { code, message } })}\n`)
      await write(io.stderr, `inspect: ${message.split('\n').map(printable).join('\n')}\n`)
      return status
    }
  },
}

async function reportFor(options: InspectOptions): Promise<Report> {
  const { source, changes } = options
  if ('replay' in source) {
    const request = await readSaved(source.replay)
    const strategy = options.strategy ?? request.strategy
    return { group: null, whatIf: whatIf({ ...request, strategy, reasons: options.reasons }, changes) }
  }
  const group = await readLive(source, options)
  const strategy = options.strategy ?? ownStrategy(group)
  const request = options.claims === 'joined' ? joinedRequest(group, strategy) : currentRequest(group, strategy)
  const asks = asksForPlan(options)
  if ((asks || options.save !== null) && !['Stable', 'Empty'].includes(group.state)) {
    throw new ClusterError(
      'STICKY_ERR_TIMEOUT',
      `the group is still rebalancing (${group.state}): there is nothing to plan`,
    )
  }
  if (options.save !== null) await writeFile(options.save, `${JSON.stringify(request)}\n`)
  return {
    group: reportOn(group),
    whatIf: asks ? whatIf({ ...request, reasons: options.reasons }, changes) : null,
  }
}

async function readLive(
  { groupId, settings }: { groupId: string; settings: Parameters<typeof connectCluster>[0] },
  { changes }: InspectOptions,
): Promise<LiveGroup> {
  const deadline = new Deadline(settings.timeoutMs)
  const connection = await connectCluster(settings, deadline)
  try {
    const topics = [...changes.add.flatMap(({ topics }) => topics ?? []), ...changes.partitions.keys()]
    return await readGroup(connection, groupId, deadline, topics)
  } finally {
    // Not waited for: a broker that does not answer does not answer a farewell either.
    void connection.close()
  }
}

async function readSaved(path: string): Promise<RequestJson> {
  // Decoding drops a byte order mark, which some shells and editors write.
  const text = new TextDecoder().decode(await readFile(path))
  try {
    const request: unknown = JSON.parse(text)
    readRequest(request)
    return request as RequestJson
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof StickyAssignorError) {
      throw new StickyAssignorError('STICKY_ERR_INVALID_REQUEST', 'request', `${path}: ${error.message}`)
    }
    throw error
  }
}

/** What the group agreed on, where it can be planned. */
function ownStrategy({ protocol }: LiveGroup): Strategy {
  return strategies.find(strategy => strategy === protocol) ?? 'sticky'
}

function asksForPlan({ changes, strategy, claims, reasons }: InspectOptions): boolean {
  const { add, remove, partitions } = changes
  return (
    add.length > 0 || remove.length > 0 || partitions.size > 0 || strategy !== null || claims === 'joined' || reasons
  )
}

function explain(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof ClusterError) return { status: 1, code: error.code, message: error.message }
  if (error instanceof StickyAssignorError) return { status: 2, code: error.code, message: error.message }
  if (error instanceof ImpossibleChange)
    return { status: 1, code: 'STICKY_ERR_IMPOSSIBLE_CHANGE', message: error.message }
  const { syscall, message } = error as NodeJS.ErrnoException
  if (syscall !== undefined) return { status: 1, code: 'STICKY_ERR_FILE', message }
  throw error
}
