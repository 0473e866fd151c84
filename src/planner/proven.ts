import type { Deal } from './deal'

/** A plan, and the prices that prove that none is better (certificate.ts). */
export interface Proven extends Deal {
  /** By topic, then by member: see levels.ts. */
  readonly level: Int32Array
  /** By topic, or by row where racks matter: what a partition of it costs whoever takes one. */
  readonly price: Float64Array
  /** Sum over topics and members of squared counts. */
  readonly spread: number
}
