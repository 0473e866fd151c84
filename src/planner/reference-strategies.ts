import type { Group } from './group'
import { listByMember, type PartitionLists } from './lists'
import { numberGroup } from './reference/group'
import { kafkaSticky } from './reference/kafka-sticky'
import { range } from './reference/range'
import { roundRobin } from './reference/roundrobin'
import type { PlanRequest, Strategy } from './types'

/**
 * A strategy of Kafka's own. Gives for each partition the index of its owner in `request.members`, -1 for nobody.
 * Partitions are numbered as in `Group`: planned topics ascending, and in each topic its partitions ascending.
 */
export type ReferenceStrategy = (request: PlanRequest) => Int32Array

export const referenceStrategies: Partial<Record<Strategy, ReferenceStrategy>> = {
  range: request => range(numberGroup(request)),
  roundrobin: request => roundRobin(numberGroup(request)),
  'kafka-sticky': request => kafkaSticky(numberGroup(request)),
}

export function planByReference(strategy: ReferenceStrategy, request: PlanRequest, group: Group): PartitionLists {
  const numbers = new Map(group.memberIds.map((id, m) => [id, m]))
  const owners = strategy(request).map(i => (i < 0 ? -1 : numbers.get(request.members[i]!.memberId)!))
  return listByMember(owners, group.memberIds.length)
}
