import { decodeAssignment, type TopicPartitions } from '../../protocol'
import type { GroupJoinPayload } from './consumer-events'
import { generationOf, type Ownership } from './fence'
import type { Round } from './membership-ports'
import { keysOf, listOf, type PartitionKey, partitionOf } from './partition-key'
import type { Parts } from './parts'
import { cooperativeName } from './subscription'

/** Puts into force what the group gives to this member and takes from it. */
export class CurrentAssignment {
  /** kafkajs has been given a first assignment in this run of the consumer. */
  handed = false
  /** It has told its listeners of that. */
  private told = false

  constructor(private readonly parts: Parts) {}

  /** A new run of the consumer. */
  startOver(): void {
    this.handed = false
    this.told = false
  }

  /** What kafkajs gets as the answer to its SyncGroup. */
  hand(): TopicPartitions[] {
    const { events, fence, placement, session } = this.parts
    this.handed = true
    placement.told()
    if (!events.found) fence.forgetPositions()
    const partitions = new Map(listOf(fence.active).map(each => [each.topic, each.partitions]))
    // Every topic, so that kafkajs has an array for each of them, and each can become non-empty later.
    return session.topics.map(topic => ({ topic, partitions: partitions.get(topic) ?? [] }))
  }

  /**
   * kafkajs has taken up what it was handed, and is about to tell its listeners. False if it should not: after the first
   * time they have been told at the end of the round.
   */
  taken(payload: GroupJoinPayload): boolean {
    const { fence, membership, placement, session } = this.parts
    fence.forgetPositions()
    placement.joined(payload.memberAssignment, session.topics, fence.active)
    payload.memberAssignment = this.forUsers()
    payload.leaderId = membership.leaderId
    payload.isLeader = membership.isLeader
    const first = !this.told
    this.told = true
    return first
  }

  /** A round has ended. */
  change(round: Round): void {
    const { session, fence, slices, placement, reporter, handover, naps, growth } = this.parts
    const decoded = decodeAssignment(round.assignment)
    const own = decoded.partitions.filter(({ topic }) => session.topics.includes(topic))
    const change = fence.assign(keysOf(own), round.generation)
    for (const { key } of change.revoked) {
      slices.drop(key)
      placement.revoked(key)
      this.withdraw(key)
    }
    for (const ownership of change.returned) if (ownership.phase === 'active') this.resume(ownership)
    reporter.synced(round, own, change)
    this.announce(change.gained, round.generation)
    this.emitGroupJoin(round)
    handover.check()
    naps.wake()
    growth.planned()
    session.state.holding = false
  }

  /** The membership is gone, and with it all that it brought. */
  lose(reason: string): void {
    const { fence, slices, placement, reporter, callbacks } = this.parts
    const lost = fence.lose()
    for (const { key } of lost) {
      placement.revoked(key)
      this.withdraw(key)
    }
    slices.clear()
    if (lost.length === 0) return
    reporter.lost(reason, lost)
    const untold = lost.filter(({ revocationTold }) => !revocationTold)
    void callbacks.run('onPartitionsLost', untold, generationOf(untold))
  }

  /** Batches have ended: what waited for that may be fetched, or handed over. */
  progress(): void {
    if (this.parts.membership.state === 'out') return
    this.activateReady()
    this.parts.handover.check()
  }

  /** Tells the user what was gained; it is fetched after that. */
  private announce(gained: readonly Ownership[], generation: number): void {
    const { callbacks } = this.parts
    const announced = () => {
      for (const ownership of gained) ownership.announced = true
      this.activateReady()
    }
    if (callbacks.has('onPartitionsAssigned') && gained.length > 0)
      void callbacks.run('onPartitionsAssigned', gained, generation).then(announced)
    else announced()
  }

  private activateReady(): void {
    const { fence, placement, replicas, naps, session } = this.parts
    for (const ownership of fence.ready) {
      fence.activate(ownership)
      this.readCommitted(ownership.key)
      placement.came(ownership.key)
      // kafkajs passes over a partition that is not in its metadata.
      if (!replicas.knows(ownership.key)) void session.interception.original.refreshMetadata().catch(() => {})
      naps.wake()
    }
  }

  /** A partition was given back before it was handed over. */
  private resume({ key, positionTrusted }: Ownership): void {
    if (!positionTrusted) this.readCommitted(key)
    this.parts.placement.came(key)
  }

  /** Makes kafkajs read the committed offset before its next fetch of the partition. */
  private readCommitted(key: PartitionKey): void {
    const { topic, partition } = partitionOf(key)
    const offsets = this.parts.table[topic]
    if (offsets) delete offsets[String(partition)]
  }

  /** Nobody waits for the turn of a batch that has not begun; without events nobody knows whether it has. */
  private withdraw(key: PartitionKey): void {
    if (this.parts.events.found) this.parts.fence.withdraw(key)
  }

  /** As kafkajs would, had it joined by itself. */
  private emitGroupJoin({ memberId, leaderId, startedAt }: Round): void {
    if (!this.told) return
    this.parts.events.emitGroupJoin({
      groupId: this.parts.session.groupId,
      memberId,
      leaderId,
      isLeader: leaderId === memberId,
      memberAssignment: this.forUsers(),
      groupProtocol: cooperativeName,
      duration: Date.now() - startedAt,
    })
  }

  /** What the last round gave to this member, in arrays that users may keep. */
  private forUsers(): Record<string, number[]> {
    return Object.fromEntries(
      listOf(this.parts.fence.assigned).map(({ topic, partitions }) => [topic, [...partitions]]),
    )
  }
}
