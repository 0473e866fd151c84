import type { Assigner, AssignerConfig, PartitionAssigner } from '../assigner'
import { type ConsumerSession, sessionOf } from '../consumer-session'
import { eagerAssigner } from '../eager-assigner'
import { isAssignerConfig } from '../factories'
import { commonChecks, validateOptions } from '../options'
import { Gateway } from './gateway'
import { type CooperativeOptions, cooperativeChecks } from './options'
import { cooperativeName } from './subscription'

/**
 * Sticky assignment with incremental rebalancing (KIP-429) under Kafka's protocol name `cooperative-sticky`: partitions
 * that stay with their member go on being consumed while the group rebalances. Members of other clients that speak the
 * protocol can share the group, whoever leads.
 *
 * Cooperative only if it is alone in the consumer's list. Beside any other assigner the consumer is eager, as Java's
 * are, and its assignment sticky.
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_OPTION if an option is unknown or wrong.
 */
export function cooperativeStickyAssignor(options?: CooperativeOptions): PartitionAssigner
export function cooperativeStickyAssignor(config: AssignerConfig): Assigner
export function cooperativeStickyAssignor(
  argument?: CooperativeOptions | AssignerConfig,
): PartitionAssigner | Assigner {
  if (isAssignerConfig(argument)) return cooperativeAssigner(argument, {})
  const checks = { ...commonChecks, ...cooperativeChecks }
  const options: CooperativeOptions = validateOptions('cooperativeStickyAssignor', argument, checks)
  return config => cooperativeAssigner(config, options)
}

const gateways = new WeakMap<ConsumerSession, Gateway>()

/** One gateway for each consumer, of which the first in the list decides. */
function gatewayOf(session: ConsumerSession, options: CooperativeOptions): Gateway {
  const known = gateways.get(session)
  if (known) return known
  const gateway = new Gateway(session, options)
  gateways.set(session, gateway)
  session.interception.addLayer(gateway)
  return gateway
}

function cooperativeAssigner(config: AssignerConfig, options: CooperativeOptions): Assigner {
  const eager = eagerAssigner({ name: cooperativeName, claimsIn: 'userData' }, config, options)
  const gateway = gatewayOf(sessionOf(config), options)
  return {
    ...eager,
    // The gateway has planned already when kafkajs asks.
    assign: group => (gateway.cooperates ? Promise.resolve([]) : eager.assign(group)),
  }
}
