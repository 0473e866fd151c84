import type { LiveGroup, LiveTopic } from '../../../cluster'
import { readMembers } from '../../../cluster/read-members'
import { encodeAssignment, encodeStickyUserData, encodeSubscription, type TopicPartitions } from '../../../protocol'

type ByTopic = Record<string, number[]>

export interface TestMember {
  topics?: string[]
  assigned?: ByTopic
  /** What it said it had when it joined, and the generation. */
  claimed?: ByTopic
  generation?: number
  rackId?: string
  /** Sent instead of all that, in hex. */
  metadata?: string
  /** Got instead of what is assigned, in hex. */
  assignment?: string
  clientId?: string
}

/** A group as the cluster would tell it: members' bytes are written and read by the protocol layer. */
export function liveGroup(
  topics: Record<string, number | LiveTopic>,
  members: Record<string, TestMember>,
  { protocol = 'sticky', ...changes }: Partial<LiveGroup> = {},
): LiveGroup {
  const described = Object.entries(members).map(([memberId, member]) => ({
    memberId,
    clientId: member.clientId ?? `client-${memberId}`,
    clientHost: '/10.0.0.1',
    memberMetadata: Buffer.from(
      member.metadata === undefined ? metadataOf(member, protocol) : fromHex(member.metadata),
    ),
    memberAssignment: Buffer.from(
      member.assignment === undefined
        ? encodeAssignment({ partitions: listOf(member.assigned) })
        : fromHex(member.assignment),
    ),
  }))
  const description = { groupId: 'g', protocol, protocolType: 'consumer', state: 'Stable' as const, members: described }
  return {
    groupId: 'g',
    state: 'Stable',
    protocol,
    members: readMembers(description),
    topics: Object.entries(topics).map(([topic, given]) =>
      typeof given === 'number' ? { topic, partitions: given, problem: null, offsets: null } : given,
    ),
    notes: [],
    ...changes,
  }
}

function metadataOf({ topics = [], claimed, generation = -1, rackId }: TestMember, protocol: string): Uint8Array {
  const rack = rackId === undefined ? {} : { rackId }
  if (protocol !== 'sticky') {
    return encodeSubscription({ topics, ownedPartitions: listOf(claimed), generationId: generation, ...rack })
  }
  const userData = claimed ? encodeStickyUserData(listOf(claimed), generation) : null
  return encodeSubscription({ topics, userData, ...rack })
}

const listOf = (byTopic: ByTopic = {}): TopicPartitions[] =>
  Object.entries(byTopic).map(([topic, partitions]) => ({ topic, partitions }))

const fromHex = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
