/** What the tests of cooperative members share. */
import { join } from 'node:path'
import { expect } from '@jest/globals'
import type { Group } from './group'
import { partitionKey } from './ledger'
import type { AssignerChoice, HostOptions, Member } from './member'
import { now } from './wait'

export const tiers = ['in-place', 'surfaced'] as const
export type Tier = (typeof tiers)[number]

/** For tests that take long: both tiers in `npm run test:full`, in `npm run verify` the one named. */
export const tiersOf = (verified: Tier): readonly Tier[] => (process.env.FULL ? tiers : [verified])

export function cooperative(
  options: Record<string, unknown> = {},
  more: Partial<Exclude<AssignerChoice, string>> = {},
) {
  return [{ name: 'cooperative-sticky', options, ...more }]
}

/** The host of a member whose assignor has `interfere` among its options. */
export const withFaults: HostOptions = { package: join(__dirname, 'interference.cjs') }

/** Generations after this one, by the word of the members. */
export function generationsAfter(group: Group, generation: number): number[] {
  return [...generationsOf(group)].filter(each => each > generation).sort((a, b) => a - b)
}

export const lastGeneration = (group: Group): number => Math.max(-1, ...generationsOf(group))

function generationsOf(group: Group): Set<number> {
  const lines = [...group.members.values()].flatMap(member => linesOf(member, 'assignment'))
  return new Set(lines.map(({ fields }) => fields.generation as number))
}

/**
 * Those of the generations in which every member that runs now was given its assignment, with what the leader said of them.
 * A member whose SyncGroup comes after another one's next JoinGroup, as on a busy machine, is not in that round.
 */
export function wholeRounds(group: Group, generations: readonly number[]) {
  const lines = (event: string, generation: number) =>
    group.running.map(member => linesOf(member, event).find(({ fields }) => fields.generation === generation))
  return generations
    .filter(generation => lines('assignment', generation).every(Boolean))
    .map(generation => lines('rebalance', generation).find(Boolean)?.fields)
}

/** Partitions whose records changed hands more than once since then. */
export function bouncedSince(group: Group, at: number): string[] {
  const owners = new Map<string, string[]>()
  // In the order of their starts: two processes' reports come in any order.
  const since = group.ledger.handlings.filter(({ start }) => start >= at).sort((a, b) => a.start - b.start)
  for (const handling of since) {
    const key = partitionKey(handling)
    const list = owners.get(key) ?? []
    owners.set(key, list)
    if (list.at(-1) !== handling.member) list.push(handling.member)
  }
  return [...owners].filter(([, members]) => members.length > 2).map(([key]) => key)
}

/** Does something to the group and says what it came to. */
export async function step(group: Group, change: () => unknown) {
  const at = now()
  const before = lastGeneration(group)
  await change()
  const settled = await group.settled()
  return { ...settled, at, generations: generationsAfter(group, before), bounced: bouncedSince(group, at) }
}

/** Nothing lost, nothing handled twice without need, no partition with two handlers at once. */
export async function expectExact(group: Group): Promise<void> {
  await group.nothingLost()
  // The first few say what is wrong; there may be thousands.
  expect(group.ledger.overlaps().slice(0, 3)).toEqual([])
  expect(group.ledger.needlessDuplicates().slice(0, 3)).toEqual([])
}

export const linesOf = ({ logs }: Member, event: string) => logs.filter(line => line.fields.event === event)
export const errorsOf = ({ logs }: Member) => logs.filter(({ level }) => level === 'ERROR')
