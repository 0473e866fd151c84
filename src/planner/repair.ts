import { NearestSearch } from './nearest-search'
import type { Network } from './network'
import { PathPusher } from './path-pusher'
import type { Steps, Work } from './steps'

/**
 * Settles what the start left open: moves partitions from rows with some still to place to rows placed too often, always
 * along a cheapest path, until every row is placed exactly.
 *
 * Invariant: no arc that can be used has a negative reduced cost (cost + price of where it leaves - price of where it
 * enters). The start has it, and each round keeps it: it finds the distance to the nearest row placed too often, moves
 * the prices by it, then uses every path whose arcs all have reduced cost 0. At the end the prices prove that nothing
 * can be better (certificate.ts).
 */
export function* repair(network: Network, steps: Steps): Work<void> {
  const search = new NearestSearch(network)
  const pusher = new PathPusher(network)
  for (const rows of openRowsByLevel(network)) {
    for (let sources = rows; sources.length > 0; sources = sources.filter(r => network.need[r]! > 0)) {
      yield* search.run(sources, steps)
      pusher.startRound()
      for (const row of sources) yield* pusher.pushFrom(row, steps)
    }
  }
}

/** Rows that have something to place, level by level: no path leads from one level to another. */
function openRowsByLevel({ rows, hubs, hubOf, need }: Network): number[][] {
  const byHub: number[][] = Array.from({ length: hubs }, () => [])
  for (let r = 0; r < rows; r++) if (need[r]! > 0) byHub[hubOf[r]!]!.push(r)
  return byHub
}
