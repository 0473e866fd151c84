import type { Strategy } from '../planner/types'
import { encodeSubscription } from '../protocol'
import type { Assigner, AssignerConfig } from './assigner'
import { describeError } from './callbacks'
import { type ConsumerSession, sessionOf } from './consumer-session'
import { EagerMembership } from './eager-membership'
import { toBuffer } from './group-plan'
import type { AssignorOptions } from './options'
import { type ClaimsIn, SubscriptionBytes } from './subscription-bytes'

/** One of Kafka's strategies as an eager member speaks it. */
export interface EagerStrategy {
  /** The protocol's name on the broker; the planner's strategy has the same. */
  readonly name: Strategy
  readonly claimsIn: ClaimsIn
}

const watchedSessions = new WeakSet<ConsumerSession>()

/** The assigner that kafkajs gets. Assigners of one consumer share its session and its watch on the membership. */
export function eagerAssigner(
  { name, claimsIn }: EagerStrategy,
  config: AssignerConfig,
  options: AssignorOptions,
): Assigner {
  const session = sessionOf(config)
  session.addOptions(options)
  if (!watchedSessions.has(session)) {
    watchedSessions.add(session)
    session.interception.addLayer(new EagerMembership(session))
  }
  const bytes = new SubscriptionBytes(session.state, claimsIn, topic => session.cachedPartitions(topic))
  return {
    name,
    // Of the subscription that `protocol` writes.
    version: 3,
    protocol({ topics }) {
      session.topics = topics
      return { name, metadata: metadataOrTopicsOnly(session, bytes, topics) }
    },
    assign: ({ members }) => session.leader.assign(name, members),
  }
}

function metadataOrTopicsOnly(session: ConsumerSession, bytes: SubscriptionBytes, topics: string[]): Buffer {
  try {
    return bytes.next(topics, session.options.rackId ?? null)
  } catch (error) {
    session.log.error(
      { event: 'metadata-unwritable', groupId: session.groupId, error: describeError(error) },
      'The metadata of this member could not be written; it joins without its claims',
    )
    return toBuffer(encodeSubscription({ topics: topics.filter(topic => typeof topic === 'string') }))
  }
}
