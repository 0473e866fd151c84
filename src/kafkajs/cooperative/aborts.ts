/**
 * Errors by which kafkajs ends a fetch in a certain way. They are thrown where kafkajs refreshes its metadata, at the
 * beginning of a fetch, and handled by ConsumerGroup.recoverFromFetch.
 */

/** The fetch returns nothing, at once and without a log line: the connection of a broker that nobody knows is closed. */
export function nothingToFetch(): Error {
  return Object.assign(new Error('Nothing can be fetched from this broker now'), {
    name: 'KafkaJSConnectionClosedError',
    host: '',
    port: -1,
  })
}

/** kafkajs joins again, in this fetcher, while the others go on: as it does when the leader of a partition has moved. */
export function joinAgain(): Error {
  return Object.assign(new Error('The assignment of this consumer has changed'), {
    name: 'KafkaJSProtocolError',
    type: 'LEADER_NOT_AVAILABLE',
    code: 5,
    retriable: true,
  })
}

/** What a join answers that was given up because the consumer was stopped meanwhile. kafkajs does not restart on it. */
export function stoppedWhileJoining(): Error {
  return Object.assign(new Error('The consumer was stopped while it was joining its group'), {
    name: 'KafkaJSNonRetriableError',
    retriable: false,
  })
}

/** What a first join answers where the consumer insists on changes in place and kafkajs does not show what they need. */
export function notInPlace(missing: string): Error {
  return Object.assign(new Error(`tier 'in-place' is not possible: not found in kafkajs: ${missing}`), {
    name: 'KafkaJSNonRetriableError',
    retriable: false,
  })
}
