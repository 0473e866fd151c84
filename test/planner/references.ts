/** Kafka's own strategies at a stretch. */
import { type KafkaGroup, numberGroup as numberInSlices } from '../../src/planner/reference/group'
import * as sticky from '../../src/planner/reference/kafka-sticky'
import { range as rangeInSlices } from '../../src/planner/reference/range'
import { roundRobin as roundRobinInSlices } from '../../src/planner/reference/roundrobin'
import { atOnce } from '../../src/planner/steps'
import type { PlanRequest } from '../../src/planner/types'

export const numberGroup = (request: Pick<PlanRequest, 'topics' | 'members'>) =>
  atOnce(steps => numberInSlices(request, steps))
export const range = (group: KafkaGroup) => atOnce(steps => rangeInSlices(group, steps))
export const roundRobin = (group: KafkaGroup) => atOnce(steps => roundRobinInSlices(group, steps))
export const kafkaSticky = (group: KafkaGroup) => atOnce(steps => sticky.kafkaSticky(group, steps))
export const kafkaCooperativeSticky = (group: KafkaGroup) =>
  atOnce(steps => sticky.kafkaCooperativeSticky(group, steps))
