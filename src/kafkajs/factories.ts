import type { Assigner, AssignerConfig, PartitionAssigner } from './assigner'
import { type EagerStrategy, eagerAssigner } from './eager-assigner'
import { type AssignorOptions, validateOptions } from './options'

/**
 * A factory of partition assigners. Called with options it returns what goes into `partitionAssigners`; put there
 * itself, without being called, it works like called without options.
 */
export interface AssignorFactory {
  (config: AssignerConfig): Assigner
  (options?: AssignorOptions): PartitionAssigner
}

/**
 * Sticky assignment (KIP-54) under Kafka's protocol name `sticky`: balanced, and with as few moved partitions as any
 * balanced assignment can have. Speaks Java's bytes, so members of other clients can share the group.
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_OPTION if an option is unknown or wrong.
 */
export const stickyAssignor = factory('stickyAssignor', { name: 'sticky', claimsIn: 'userData' })

/**
 * Kafka's range assignment under the protocol name `range`: of each topic every member gets a contiguous range, so that
 * topics with equal partition counts are co-partitioned.
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_OPTION if an option is unknown or wrong.
 */
export const rangeAssignor = factory('rangeAssignor', { name: 'range', claimsIn: 'nothing' })

/**
 * Kafka's round robin assignment under the protocol name `roundrobin` (kafkajs' own calls itself `RoundRobinAssigner`
 * and ignores what the other members subscribe).
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_OPTION if an option is unknown or wrong.
 */
export const roundRobinAssignor = factory('roundRobinAssignor', { name: 'roundrobin', claimsIn: 'nothing' })

function factory(name: string, strategy: EagerStrategy): AssignorFactory {
  function create(config: AssignerConfig): Assigner
  function create(options?: AssignorOptions): PartitionAssigner
  function create(argument?: AssignorOptions | AssignerConfig): PartitionAssigner | Assigner {
    if (isAssignerConfig(argument)) return eagerAssigner(strategy, argument, {})
    const options = validateOptions(name, argument)
    return config => eagerAssigner(strategy, config, options)
  }
  return create
}

/** kafkajs calls what it finds in `partitionAssigners` with these three. */
export function isAssignerConfig(value: unknown): value is AssignerConfig {
  return typeof value === 'object' && value !== null && 'groupId' in value && 'cluster' in value
}
