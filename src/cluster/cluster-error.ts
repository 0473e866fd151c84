/** Why a live group could not be read. */
export type ClusterErrorCode =
  /** kafkajs, a peer of this package, is not installed. */
  | 'STICKY_ERR_NO_KAFKAJS'
  /** No broker could be reached, or one that the cluster names. */
  | 'STICKY_ERR_UNREACHABLE'
  /** The broker refused user and password, or the mechanism. */
  | 'STICKY_ERR_AUTHENTICATION'
  | 'STICKY_ERR_NO_PERMISSION'
  | 'STICKY_ERR_NO_SUCH_GROUP'
  /** A group whose broker assigns (KIP-848), or one that is no group of consumers. */
  | 'STICKY_ERR_OTHER_GROUP'
  /** Not done within the time-out. */
  | 'STICKY_ERR_TIMEOUT'
  /** Any other answer of a broker. */
  | 'STICKY_ERR_CLUSTER'

/** What went wrong, in a message for people: nobody needs its stack. */
export class ClusterError extends Error {
  constructor(
    readonly code: ClusterErrorCode,
    message: string,
  ) {
    super(message)
    this.name = 'ClusterError'
  }
}
