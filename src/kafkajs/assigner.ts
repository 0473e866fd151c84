/**
 * The shapes that kafkajs exchanges with a partition assigner, structurally: kafkajs and NestJS carry different copies
 * of these types, and both accept these.
 */
import type { GroupMember, GroupProtocol, KafkaJSLogger, MemberAssignment } from './internals'

/** What kafkajs passes to an assigner factory. `cluster` is narrowed inside the package. */
export interface AssignerConfig {
  groupId: string
  cluster: unknown
  logger: KafkaJSLogger
}

/** What a factory returns to kafkajs. Neither method ever throws: an exception there ends a consumer for good. */
export interface Assigner {
  name: string
  version: number
  assign(group: { members: GroupMember[]; topics: string[] }): Promise<MemberAssignment[]>
  protocol(subscription: { topics: string[] }): GroupProtocol
}

/** An element of `partitionAssigners`. */
export type PartitionAssigner = (config: AssignerConfig) => Assigner
