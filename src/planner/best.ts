import type { Ownership } from './claims'
import type { Group } from './group'
import type { Proven } from './proven'
import type { Racks } from './racks'
import type { Steps, Work } from './steps'
import { planSticky } from './sticky'
import { planStickyWithRacks } from './sticky-racks'

/** The best plan: balance, then rack mismatches, then moves, then spread, then the recipe. */
export function planBest(group: Group, ownership: Ownership, racks: Racks | undefined, steps: Steps): Work<Proven> {
  return racks ? planStickyWithRacks(group, ownership, racks, steps) : planSticky(group, ownership, steps)
}
