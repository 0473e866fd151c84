/** Entry point `kafkajs-sticky-assignor/planner`: the planner by itself, also for browsers. */
export type * from './planner/types'
