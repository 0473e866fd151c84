import type { PlanMember, PlanRequest, Strategy, TopicSpec } from '../planner/types'
import { claimsOf, decodeSubscription, describeProblem, NameTable } from '../protocol'
import { decodeBase64 } from './base64'
import { fieldOf, invalid, isObject } from './checks'

/** Metadata of a member of which not everything could be read. As in a live group the rest of the plan goes on. */
export interface MetadataProblem {
  readonly memberId: string
  readonly message: string
}

export interface DryRunRequest {
  readonly request: PlanRequest
  /** Whether each moved partition is to be explained. */
  readonly reasons: boolean
  readonly metadataProblems: readonly MetadataProblem[]
}

export const strategies: readonly Strategy[] = ['sticky', 'cooperative-sticky', 'range', 'roundrobin', 'kafka-sticky']

/** Beyond any cluster; keeps a mistyped count from using up the memory. */
export const maxPartitions = 10_000_000

/**
 * Checks the structure of a request and reads members' metadata. What members claim is not checked here: bad claims are
 * part of the answer.
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_REQUEST, naming the field.
 */
export function readRequest(value: unknown): DryRunRequest {
  if (!isObject(value)) throw invalid('request', 'a JSON object', value)
  const { strategy, topics, members, reasons = false } = value
  if (!strategies.includes(strategy as Strategy)) throw invalid('strategy', `one of ${strategies.join(', ')}`, strategy)
  if (typeof reasons !== 'boolean') throw invalid('reasons', 'true or false', reasons)
  checkTopics(topics)
  if (!Array.isArray(members)) throw invalid('members', 'a list of members', members)
  const reader = new MemberReader(strategy as Strategy)
  const request: PlanRequest = {
    strategy: strategy as Strategy,
    topics,
    members: members.map((member, i) => reader.read(member, `members[${i}]`)),
  }
  return { request, reasons, metadataProblems: reader.metadataProblems }
}

function checkTopics(topics: unknown): asserts topics is Record<string, TopicSpec> {
  if (!isObject(topics)) throw invalid('topics', 'an object of topics', topics)
  let partitions = 0
  for (const name of Object.keys(topics)) {
    const spec = topics[name]
    const field = fieldOf('topics', name)
    if (Array.isArray(spec)) checkRacks(spec, field)
    else if (!isCount(spec))
      throw invalid(field, 'a partition count, or a list of replica racks for each partition', spec)
    partitions += typeof spec === 'number' ? spec : (spec as unknown[]).length
    if (partitions > maxPartitions) throw invalid(field, `at most ${maxPartitions} partitions in all`, spec)
  }
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0

function checkRacks(partitions: readonly unknown[], field: string): void {
  partitions.forEach((racks, p) => {
    if (!Array.isArray(racks)) throw invalid(`${field}[${p}]`, 'a list of replica racks', racks)
    racks.forEach((rack, i) => {
      if (rack !== null && typeof rack !== 'string') throw invalid(`${field}[${p}][${i}]`, 'a rack or null', rack)
    })
  })
}

class MemberReader {
  readonly metadataProblems: MetadataProblem[] = []
  private readonly seen = new Set<string>()
  private readonly names = new NameTable()

  constructor(private readonly strategy: Strategy) {}

  read(member: unknown, field: string): PlanMember {
    if (!isObject(member)) throw invalid(field, 'a member', member)
    const { memberId } = member
    if (typeof memberId !== 'string') throw invalid(`${field}.memberId`, 'a member id', memberId)
    if (this.seen.has(memberId)) throw invalid(`${field}.memberId`, 'an id that no other member has', memberId)
    this.seen.add(memberId)
    checkTextOrNone(member, 'instanceId', field)
    checkTextOrNone(member, 'rackId', field)
    if (member.metadata !== undefined && member.metadata !== null) return this.readMetadata(member, memberId, field)
    checkNames(member.topics, `${field}.topics`)
    checkClaims(member.owned, `${field}.owned`)
    checkClaims(member.released, `${field}.released`)
    const { generation } = member
    if (generation !== undefined && generation !== null && !Number.isSafeInteger(generation)) {
      throw invalid(`${field}.generation`, 'an integer or null', generation)
    }
    return member as unknown as PlanMember
  }

  private readMetadata(member: Record<string, unknown>, memberId: string, field: string): PlanMember {
    for (const other of ['topics', 'owned', 'released', 'generation']) {
      if (member[other] !== undefined && member[other] !== null) {
        throw invalid(`${field}.${other}`, 'nothing beside metadata, which says it', member[other])
      }
    }
    const bytes = typeof member.metadata === 'string' ? decodeBase64(member.metadata) : null
    if (!bytes) throw invalid(`${field}.metadata`, 'the base64 of subscription bytes', member.metadata)
    const subscription = decodeSubscription(bytes, this.names)
    const { problem, ...claims } = claimsOf(subscription, this.strategy, this.names)
    if (problem) this.metadataProblems.push({ memberId, message: describeProblem(problem) })
    return {
      memberId,
      topics: subscription.topics,
      ...claims,
      instanceId: member.instanceId as string | null | undefined,
      rackId: subscription.rackId || (member.rackId as string | null | undefined),
    }
  }
}

function checkTextOrNone(member: Record<string, unknown>, name: string, field: string): void {
  const value = member[name]
  if (value !== undefined && value !== null && typeof value !== 'string') {
    throw invalid(`${field}.${name}`, 'a text or null', value)
  }
}

function checkNames(topics: unknown, field: string): void {
  if (!Array.isArray(topics)) throw invalid(field, 'a list of topic names (or give metadata)', topics)
  for (let i = 0; i < topics.length; i++) {
    if (typeof topics[i] !== 'string') throw invalid(`${field}[${i}]`, 'a topic name', topics[i])
  }
}

function checkClaims(claims: unknown, field: string): void {
  if (claims === undefined || claims === null) return
  if (isObject(claims)) {
    for (const topic of Object.keys(claims)) checkPartitions(claims[topic], () => fieldOf(field, topic))
  } else if (Array.isArray(claims)) {
    claims.forEach((item, i) => {
      if (!isObject(item)) throw invalid(`${field}[${i}]`, 'a topic and its partitions', item)
      if (typeof item.topic !== 'string') throw invalid(`${field}[${i}].topic`, 'a topic name', item.topic)
      checkPartitions(item.partitions, () => `${field}[${i}].partitions`)
    })
  } else {
    throw invalid(field, 'an object of topics', claims)
  }
}

/** What is in the list is a claim, and claims are never an error of the request. */
function checkPartitions(partitions: unknown, field: () => string): void {
  if (!Array.isArray(partitions)) throw invalid(field(), 'a list of partition ids', partitions)
}
