import type { Network } from './network'
import type { Steps, Work } from './steps'

/**
 * Sets the prices of members, pairs and hubs from those of the rows, so that no arc has a negative reduced cost. That is
 * possible if every member is at its own best at the rows' prices, and those with an extra unit are those to whom it
 * costs least.
 *
 * A member's price may lie anywhere between its dearest last unit and its cheapest next one. The hub's is the dearest
 * last unit of those with an extra one; members go as close to it as they can.
 */
export function* priceFromRows(network: Network, steps: Steps): Work<void> {
  const { rows, members, pairs, hubs, hubOf, inStart, extra, potential } = network
  const last = new Float64Array(members).fill(Number.NEGATIVE_INFINITY)
  const next = new Float64Array(members).fill(Number.POSITIVE_INFINITY)
  const hubPrice = new Float64Array(hubs).fill(Number.NEGATIVE_INFINITY)
  for (let m = 0; m < members; m++) {
    const bounds = boundsOf(network, rows + m)
    last[m] = bounds.last
    next[m] = bounds.next
    const hub = hubOf[rows + m]!
    if (hub >= 0 && extra[m] === 1) hubPrice[hub] = Math.max(hubPrice[hub]!, bounds.last)
    if (steps.spent(4 * (inStart[m + 1]! - inStart[m]!))) yield
  }
  for (let m = 0; m < members; m++) {
    const hub = hubOf[rows + m]!
    if (hub >= 0) potential[rows + m] = Math.min(Math.max(hubPrice[hub]!, last[m]!), next[m]!)
  }
  for (let pair = rows + members; pair < rows + members + pairs; pair++) {
    const arc = network.pairArc[pair - rows - members]!
    const member = potential[network.head[arc]!]!
    const x = network.flow[arc]!
    const { next } = boundsOf(network, pair)
    potential[pair] = x === 0 ? next : Math.min(next, member - (2 * x - 1))
    if (steps.spent(4 * (inStart[pair - rows + 1]! - inStart[pair - rows]!))) yield
  }
  potential.set(hubPrice, rows + members + pairs)
}

interface Bounds {
  /** The dearest unit that came in, at the rows' prices. */
  readonly last: number
  /** The cheapest unit that could come in. */
  readonly next: number
}

/** Bounds of the price of a member or a pair. */
function boundsOf(network: Network, node: number): Bounds {
  const { rows, members, tail, inStart, kind, own, flow, potential, costs } = network
  const convex = node < rows + members
  let last = Number.NEGATIVE_INFINITY
  let next = Number.POSITIVE_INFINITY
  for (let arc = inStart[node - rows]!; arc < inStart[node - rows + 1]!; arc++) {
    const x = flow[arc]!
    const fixed = costs.kind[kind[arc]!]! + (convex ? 2 * x : 0)
    const from = tail[arc]!
    if (from < rows) {
      const price = potential[from]!
      next = Math.min(next, price + fixed - (x < own[arc]! ? costs.keep : 0) + (convex ? 1 : 0))
      if (x > 0) last = Math.max(last, price + fixed - (x <= own[arc]! ? costs.keep : 0) - (convex ? 1 : 0))
    } else {
      const bounds = boundsOf(network, from)
      next = Math.min(next, bounds.next + fixed + 1)
      if (x > 0) last = Math.max(last, bounds.last + fixed - 1)
    }
  }
  return { last, next }
}
