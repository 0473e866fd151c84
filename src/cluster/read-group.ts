import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin, GroupDescription } from 'kafkajs'
import { ClusterError } from './cluster-error'
import type { ClusterConnection } from './connection'
import { otherGroup, whyDead } from './dead-group'
import type { Deadline } from './deadline'
import { clusterError, failureOf, mayPass, noPermission } from './failure'
import type { LiveGroup, LiveMember, LiveTopic } from './live-group'
import { type Committed, readCommitted, readEnds } from './offsets'
import { readMembers } from './read-members'
import { isTakingOver } from './take-over'
import { readTopicSizes, type TopicSize } from './topics'

const pollMs = 200

/** How long a coordinator that says there is no such group is asked again: it may have been that for a moment only. */
const doubtMs = 1000

/**
 * Reads a group of the classic protocol with its topics and offsets. A group that rebalances, and a coordinator that is
 * about to be another broker or has just become it, are waited for, at most half of the time that is left; the group is
 * then told as it is.
 * `furtherTopics` are told beside those of the group.
 *
 * @throws ClusterError if there is no such group, or it cannot be read in time. Topics and offsets that cannot be read
 *   are noted instead.
 */
export async function readGroup(
  connection: ClusterConnection,
  groupId: string,
  deadline: Deadline,
  furtherTopics: readonly string[] = [],
): Promise<LiveGroup> {
  const { settings } = connection
  const late = () => {
    const where = connection.waitingFor().join(', ') || 'any broker'
    const message = `no answer about group ${JSON.stringify(groupId)} from ${where} within ${settings.timeoutMs} ms`
    return new ClusterError('STICKY_ERR_TIMEOUT', message)
  }
  try {
    return await deadline.within(readPatiently(connection, groupId, furtherTopics, deadline.leftMs / 2), late)
  } catch (error) {
    throw clusterError(error, groupId, settings)
  }
}

async function readPatiently(
  connection: ClusterConnection,
  groupId: string,
  furtherTopics: readonly string[],
  patienceMs: number,
): Promise<LiveGroup> {
  const end = performance.now() + patienceMs
  for (;;) {
    try {
      return await read(connection.admin, groupId, furtherTopics, end)
    } catch (error) {
      // kafkajs passes this one off as a coordinator that cannot be found.
      if (connection.answered('GROUP_AUTHORIZATION_FAILED')) throw noPermission(groupId)
      if (!mayPass(error) || performance.now() > end) throw error
    }
    await sleep(pollMs)
  }
}

async function read(
  admin: Admin,
  groupId: string,
  furtherTopics: readonly string[],
  settledBy: number,
): Promise<LiveGroup> {
  const description = await describeSettled(admin, groupId, settledBy)
  const { state, protocol, protocolType } = description
  if (state === 'Dead') throw await whyDead(admin, groupId)
  if (description.members.length > 0 && protocolType !== 'consumer') {
    throw otherGroup(groupId, `its members are no consumers but of the type ${JSON.stringify(protocolType)}`)
  }
  const notes: string[] = []
  const members = readMembers(description)
  const committed = await readCommitted(admin, groupId).catch(error => {
    notes.push(`committed offsets cannot be read: ${reason(error)}`)
    return null
  })
  const names = new Set([...furtherTopics, ...members.flatMap(topicsOf)])
  if (members.length === 0) for (const topic of committed?.keys() ?? []) names.add(topic)
  const sizes = await readTopicSizes(admin, [...names].sort())
  const readable = [...sizes].filter(([, { partitions }]) => partitions > 0).map(([topic]) => topic)
  const ends = await readEnds(admin, committed ? readable : [], (topic, error) =>
    notes.push(`offsets of topic ${JSON.stringify(topic)} cannot be read: ${reason(error)}`),
  )
  const least = leastSizes(members)
  const topics = [...sizes].map(([topic, size]) =>
    topicOf(topic, size, least.get(topic) ?? 0, committed, ends.get(topic)),
  )
  return { groupId, state, protocol, members, topics, notes }
}

/** The group when it is at rest, or as it is at that time. */
async function describeSettled(admin: Admin, groupId: string, by: number): Promise<GroupDescription> {
  const start = performance.now()
  const believed = start + Math.min(doubtMs, (by - start) / 5)
  for (;;) {
    const description = (await admin.describeGroups([groupId])).groups[0]!
    const { state } = description
    const doubtful = async () => performance.now() < believed || (await isTakingOver(admin, groupId))
    const mayChange = /Rebalance/.test(state) || (state === 'Dead' && (await doubtful()))
    if (!mayChange || performance.now() > by) return description
    await sleep(pollMs)
  }
}

const topicsOf = ({ subscription, assignment }: LiveMember): string[] => [
  ...subscription.topics,
  ...assignment.partitions.map(({ topic }) => topic),
]

/** More than any topic has; an assignment is made by a member, and may name any number. */
const mostPartitions = 200_000

/** The least partition counts that the assignments allow. */
function leastSizes(members: readonly LiveMember[]): Map<string, number> {
  const least = new Map<string, number>()
  for (const { assignment } of members)
    for (const { topic, partitions } of assignment.partitions)
      least.set(topic, Math.max(least.get(topic) ?? 0, Math.min(partitions.at(-1)! + 1, mostPartitions)))
  return least
}

function topicOf(
  topic: string,
  { partitions, problem }: TopicSize,
  least: number,
  committed: Committed | null,
  ends: ReadonlyMap<number, number> | undefined,
): LiveTopic {
  const offsets = ends
    ? Array.from({ length: partitions }, (_, p) => ({
        committed: committed?.get(topic)?.get(p) ?? null,
        end: ends.get(p) ?? 0,
      }))
    : null
  return { topic, partitions: problem === null ? partitions : least, problem, offsets }
}

function reason(error: unknown): string {
  const { type, message } = failureOf(error)
  return type ?? message
}
