import type { DecodedRequests } from './kafkajs-internals'

type Join = DecodedRequests['JoinGroup']
type Sync = DecodedRequests['SyncGroup']

interface Member {
  protocols: Join['protocols']
  assignment: Buffer
  answerJoin: ((answer: JoinAnswer) => void) | null
  answerSync: ((answer: SyncAnswer) => void) | null
}

export interface JoinAnswer {
  errorCode: number
  generationId: number
  groupProtocol: string
  leaderId: string
  memberId: string
  members: { memberId: string; groupInstanceId: string | null; memberMetadata: Buffer }[]
}

export interface SyncAnswer {
  errorCode: number
  memberAssignment: Buffer
}

export const errorCodes = {
  none: 0,
  illegalGeneration: 22,
  inconsistentProtocol: 23,
  unknownMemberId: 25,
  rebalanceInProgress: 27,
  memberIdRequired: 79,
} as const

/**
 * A classic consumer group as Kafka's coordinator keeps it (GroupMetadataManager and ClassicGroup), without timeouts:
 * a member that is gone has to be expelled.
 */
export class FakeGroup {
  generation = 0
  phase: 'empty' | 'joining' | 'syncing' | 'stable' = 'empty'
  leaderId = ''
  protocol = ''
  /** A round of joins ends once so many members have joined. */
  expected = 1
  readonly members = new Map<string, Member>()
  /** JoinGroup requests that started a rebalance or took part in one. */
  rebalances = 0
  private readonly promisedIds = new Set<string>()
  private nextId = 1

  async join(request: Join, clientId: string): Promise<JoinAnswer> {
    if (request.memberId === '') {
      const memberId = `${clientId}-${this.nextId++}`
      this.promisedIds.add(memberId)
      return { ...this.failure(errorCodes.memberIdRequired), memberId }
    }
    const { memberId } = request
    if (!this.members.has(memberId) && !this.promisedIds.has(memberId)) return this.failure(errorCodes.unknownMemberId)
    this.promisedIds.delete(memberId)
    const known = this.members.get(memberId)
    const unchanged = known && sameProtocols(known.protocols, request.protocols)
    if (unchanged && this.phase === 'stable' && memberId !== this.leaderId) return this.answerFor(memberId)
    if (unchanged && this.phase === 'syncing') return this.answerFor(memberId)
    const common = this.commonProtocols(memberId, request.protocols)
    if (common.length === 0) return this.failure(errorCodes.inconsistentProtocol)
    this.prepare()
    const member = known ?? { protocols: [], assignment: Buffer.alloc(0), answerJoin: null, answerSync: null }
    member.protocols = request.protocols
    this.members.set(memberId, member)
    return new Promise(resolve => {
      member.answerJoin = resolve
      this.completeJoin()
    })
  }

  sync(request: Sync): Promise<SyncAnswer> | SyncAnswer {
    const member = this.members.get(request.memberId)
    const refused = (errorCode: number) => ({ errorCode, memberAssignment: Buffer.alloc(0) })
    if (!member) return refused(errorCodes.unknownMemberId)
    if (request.generationId !== this.generation) return refused(errorCodes.illegalGeneration)
    if (this.phase === 'joining') return refused(errorCodes.rebalanceInProgress)
    if (this.phase === 'stable') return { errorCode: 0, memberAssignment: member.assignment }
    if (request.memberId === this.leaderId) {
      this.give(new Map(request.assignments.map(each => [each.memberId, each.memberAssignment])))
      return { errorCode: 0, memberAssignment: member.assignment }
    }
    return new Promise(resolve => {
      member.answerSync = resolve
    })
  }

  /** Ends the syncing phase with these assignments, as the leader's SyncGroup does. */
  give(assignments: ReadonlyMap<string, Buffer>): void {
    this.phase = 'stable'
    for (const [memberId, member] of this.members) {
      member.assignment = assignments.get(memberId) ?? Buffer.alloc(0)
      member.answerSync?.({ errorCode: 0, memberAssignment: member.assignment })
      member.answerSync = null
    }
  }

  heartbeat(memberId: string, generation: number): number {
    if (!this.members.has(memberId)) return errorCodes.unknownMemberId
    if (generation !== this.generation) return errorCodes.illegalGeneration
    return this.phase === 'joining' ? errorCodes.rebalanceInProgress : errorCodes.none
  }

  describe(): { state: string; members: { memberId: string; memberAssignment: Buffer }[] } {
    const states = { empty: 'Empty', joining: 'PreparingRebalance', syncing: 'CompletingRebalance', stable: 'Stable' }
    const members = [...this.members].map(([memberId, { assignment }]) => ({ memberId, memberAssignment: assignment }))
    return { state: states[this.phase], members }
  }

  /** LeaveGroup, or what the end of a session does. */
  expel(memberId: string): number {
    const member = this.members.get(memberId)
    if (!member) return errorCodes.unknownMemberId
    member.answerJoin?.(this.failure(errorCodes.unknownMemberId))
    this.members.delete(memberId)
    if (this.members.size === 0) {
      this.phase = 'empty'
      this.leaderId = ''
    } else {
      this.prepare()
      this.completeJoin()
    }
    return errorCodes.none
  }

  /** Asks everybody to join anew, as a new member does. */
  prepare(): void {
    if (this.phase === 'joining') return
    this.phase = 'joining'
    this.rebalances++
    for (const member of this.members.values()) {
      member.answerSync?.({ errorCode: errorCodes.rebalanceInProgress, memberAssignment: Buffer.alloc(0) })
      member.answerSync = null
    }
  }

  private completeJoin(): void {
    const waiting = [...this.members.values()].filter(member => member.answerJoin)
    if (waiting.length < this.members.size || waiting.length < this.expected) return
    this.generation++
    this.phase = 'syncing'
    if (!this.members.has(this.leaderId)) this.leaderId = [...this.members.keys()][0]!
    this.protocol = this.commonProtocols('', this.members.get(this.leaderId)!.protocols)[0]!
    for (const [memberId, member] of this.members) {
      member.answerJoin?.(this.answerFor(memberId))
      member.answerJoin = null
    }
  }

  private commonProtocols(except: string, protocols: Join['protocols']): string[] {
    const others = [...this.members].filter(([memberId]) => memberId !== except)
    return protocols
      .map(({ name }) => name)
      .filter(name => others.every(([, member]) => member.protocols.some(protocol => protocol.name === name)))
  }

  private answerFor(memberId: string): JoinAnswer {
    const isLeader = memberId === this.leaderId && this.phase === 'syncing'
    return {
      errorCode: 0,
      generationId: this.generation,
      groupProtocol: this.protocol,
      leaderId: this.leaderId,
      memberId,
      members: isLeader
        ? [...this.members].map(([id, member]) => ({
            memberId: id,
            groupInstanceId: null,
            memberMetadata: member.protocols.find(({ name }) => name === this.protocol)!.metadata,
          }))
        : [],
    }
  }

  private failure(errorCode: number): JoinAnswer {
    return { errorCode, generationId: -1, groupProtocol: '', leaderId: '', memberId: '', members: [] }
  }
}

function sameProtocols(a: Join['protocols'], b: Join['protocols']): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, metadata }, i) => name === b[i]!.name && Buffer.compare(metadata, b[i]!.metadata) === 0)
  )
}
