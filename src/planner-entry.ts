/** Entry point `kafkajs-sticky-assignor/planner`: the planner by itself, also for browsers. */
export { plan, planInSlices } from './planner'
export type * from './planner/types'
