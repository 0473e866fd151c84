import type { Group } from './group'
import { listByMember, type PartitionLists } from './lists'
import { type KafkaGroup, numberGroup } from './reference/group'
import { kafkaSticky } from './reference/kafka-sticky'
import { range } from './reference/range'
import { roundRobin } from './reference/roundrobin'
import type { Steps, Work } from './steps'
import type { PlanRequest, Strategy } from './types'

/**
 * A strategy of Kafka's own. Gives for each partition the index of its owner in `request.members`, -1 for nobody.
 * Partitions are numbered as in `Group`: planned topics ascending, and in each topic its partitions ascending.
 */
export type ReferenceStrategy = (request: PlanRequest, steps: Steps) => Work<Int32Array>

export const referenceStrategies: Partial<Record<Strategy, ReferenceStrategy>> = {
  range: numbered(range),
  roundrobin: numbered(roundRobin),
  'kafka-sticky': numbered(kafkaSticky),
}

function numbered(assign: (group: KafkaGroup, steps: Steps) => Work<Int32Array>): ReferenceStrategy {
  return function* (request, steps) {
    return yield* assign(yield* numberGroup(request, steps), steps)
  }
}

export function* planByReference(
  strategy: ReferenceStrategy,
  request: PlanRequest,
  group: Group,
  steps: Steps,
): Work<PartitionLists> {
  const numbers = new Map(group.memberIds.map((id, m) => [id, m]))
  const ours = request.members.map(({ memberId }) => numbers.get(memberId)!)
  const owners = yield* strategy(request, steps)
  const lists = listByMember(
    owners.map(i => (i < 0 ? -1 : ours[i]!)),
    group.memberIds.length,
  )
  if (steps.spent(4 * owners.length)) yield
  return lists
}
