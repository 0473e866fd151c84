/** Entry point `kafkajs-sticky-assignor/planner`: planning by itself, also for browsers. */
export { type MetadataProblem, type PartitionsByTopic, type PlanAnswer, planRequest } from './dry-run'
export { type ErrorCode, StickyAssignorError } from './errors'
export { findFlaws, plan, planInSlices } from './planner'
export type * from './planner/types'
