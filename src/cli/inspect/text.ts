import type { PartitionsByTopic } from '../../dry-run'
import { countPartitions, describePartitions } from '../../report/topics'
import type { Lag } from './lag'
import { printable } from './printable'
import type { GroupReport, MemberReport, Report } from './report'
import type { Verdict } from './verdict'
import type { MemberMove, WhatIf } from './what-if'

/** The report for a terminal. All names are printable. */
export function renderText({ group, whatIf }: Report): string {
  const parts = [...(group ? groupLines(group) : []), ...(whatIf ? whatIfLines(whatIf) : [])]
  return `${parts.join('\n').trimEnd()}\n`
}

function groupLines(group: GroupReport): string[] {
  const { groupId, state, protocol, members, verdict, lag, notes } = group
  const partitions = Object.values(group.topics).reduce((sum, count) => sum + count, 0)
  const topics = Object.keys(group.topics).length
  const facts = [
    state,
    ...(protocol ? [protocol] : []),
    count(members.length, 'member'),
    `${count(partitions, 'partition')} in ${count(topics, 'topic')}`,
  ]
  return [
    `Group ${printable(groupId)}: ${facts.map(printable).join(', ')}`,
    '',
    ...members.flatMap(member => [...memberLines(member, verdict !== null), '']),
    ...(verdict ? verdictLines(verdict, members) : []),
    field('Lag', lagText(lag)),
    ...notes.map(note => field('Note', printable(note))),
    '',
  ]
}

function memberLines(member: MemberReport, atRest: boolean): string[] {
  const { memberId, clientId, host, subscription, unreadable, claimed, assigned, lag } = member
  const { version, topics, rackId } = subscription
  const line = (name: string, text: string) => `  ${field(name, text)}`
  const lines = [printable(memberId), line('Client', `${printable(clientId)} at ${printable(host.replace(/^\//, ''))}`)]
  if (!atRest) return lines
  const details = [`version ${version ?? 'unknown'}`, ...(rackId === null ? [] : [`rack ${printable(rackId)}`])]
  lines.push(line('Subscribes', `${topics.map(printable).join(', ') || 'nothing'} (${details.join(', ')})`))
  if (unreadable !== null) lines.push(line('Unreadable', `${unreadable}; it is taken as owning nothing`))
  lines.push(line('Assigned', counted(assigned)))
  if (size(claimed.partitions) > 0) {
    const generation = claimed.generation === null ? 'no generation' : `generation ${claimed.generation}`
    lines.push(
      line(
        'Claimed',
        `${counted(claimed.partitions)}; ${generation}, ${claimed.held ? 'held' : 'released'} when it last joined`,
      ),
    )
  } else if (unreadable === null) lines.push(line('Claimed', 'nothing when it last joined'))
  lines.push(line('Lag', lagText(lag)))
  return lines
}

function verdictLines(verdict: Verdict, members: readonly MemberReport[]): string[] {
  const { balance, best, movesToBest, optimum, unassigned, assignedTwice, stray } = verdict
  const unreadable = members.filter(member => member.unreadable !== null).map(({ memberId }) => printable(memberId))
  return [
    field(
      'Balance',
      optimum
        ? `${range(balance)} a member: the optimum, no other assignment is more even`
        : `${range(balance)} a member, not the optimum: that is ${range(best)}, ${count(movesToBest, 'move')} away`,
    ),
    ...(optimum ? [field('Spread', spreadText(verdict.spread))] : []),
    field('Unassigned', counted(unassigned)),
    ...(size(assignedTwice) > 0 ? [field('Twice', counted(assignedTwice))] : []),
    ...stray.map(({ memberId, partitions }) =>
      field(
        'Stray',
        `${printable(memberId)} has ${counted(partitions)}, which it does not subscribe or which do not exist`,
      ),
    ),
    field('Unreadable', unreadable.join(', ') || 'no member'),
  ]
}

function spreadText({ sumOfSquares, least, proven }: Verdict['spread']): string {
  if (sumOfSquares <= least) return 'each topic is spread over the members as evenly as this balance allows'
  return `topics could be spread more evenly (sum of squares ${sumOfSquares}, ${proven ? 'least' : 'at most'} ${least}), but only by moving partitions`
}

function whatIfLines({ changes, answer, members, newIdsMatter, newIdsDecideGains }: WhatIf): string[] {
  const { strategy, assignment, kept, moved, minimumMoves, balance, withheld, rejectedClaims } = answer
  const waiting = Object.values(withheld).reduce((sum, each) => sum + size(each), 0)
  const given = Object.values(assignment).reduce((sum, each) => sum + size(each), 0)
  const all = moved + waiting
  const ids = members.map(({ memberId }) => printable(memberId))
  const width = Math.max(0, ...ids.map(id => id.length))
  const lines = [
    `What if ${changes.length === 0 ? 'the group rebalances as it is' : changes.map(printable).join(', ')}? With ${strategy}:`,
    field(
      'Moves',
      `${all} of ${count(given + waiting, 'partition')}; the fewest possible for this balance is ${minimumMoves}; ${kept} stay`,
    ),
    field('Balance', `${range(balance)} a member`),
    ...(waiting === 0 ? [] : [field('Rounds', `2: ${waiting} of them in the second, when their owners have let go`)]),
    ...rejectedClaims.map(({ memberId, topic, reason, count: n }) =>
      field('Disbelieved', `${count(n, 'claim')} of ${printable(memberId)} on ${printable(topic)}: ${reason}`),
    ),
    ...answer.missingTopics.map(topic => field('Missing', `topic ${printable(topic)}`)),
    ...answer.metadataProblems.map(({ memberId, message }) =>
      field('Unreadable', `${printable(memberId)}: ${message}`),
    ),
    '',
    ...members.map((member, i) => `  ${ids[i]!.padEnd(width)}  ${moveText(member)}`),
  ]
  const open = newIdsMatter
    ? 'Which partitions the others keep'
    : 'Which of the others gets what of the moved partitions'
  if (newIdsMatter || newIdsDecideGains) lines.push('', `${open} depends on the ids that the new members will get.`)
  if (answer.reasons) lines.push('', ...answer.reasons.map(reason => `  ${printable(reason)}`))
  return lines
}

function moveText({ before, after, gains, givesUp }: MemberMove): string {
  const change = `${size(before)} → ${size(after)}`.padEnd(9)
  const parts = [
    ...(size(givesUp) > 0 ? [`gives up ${list(givesUp)}`] : []),
    ...(size(gains) > 0 ? [`gets ${list(gains)}`] : []),
  ]
  return `${change}  ${parts.join('; ') || 'stays as it is'}`
}

const field = (name: string, text: string) => `${name.padEnd(11)} ${text}`

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

const range = ({ min, max }: { min: number; max: number }) =>
  min === max ? count(max, 'partition') : `${min} to ${max} partitions`

function lagText(lag: Lag | null): string {
  if (!lag) return 'unknown'
  const { records, partitionsWithoutCommit: without } = lag
  return `${count(records, 'record')}${without === 0 ? '' : `; ${count(without, 'partition')} without a committed offset`}`
}

const entries = (partitions: PartitionsByTopic) =>
  Object.entries(partitions).map(([topic, ids]) => ({ topic, partitions: ids }))

const size = (partitions: PartitionsByTopic) => countPartitions(entries(partitions))

/** Topic names of Kafka are printable, but claims may name anything. */
const list = (partitions: PartitionsByTopic) =>
  describePartitions(entries(partitions).map(each => ({ ...each, topic: printable(each.topic) })))

const counted = (partitions: PartitionsByTopic) =>
  size(partitions) === 0 ? 'none' : `${size(partitions)}: ${list(partitions)}`
