/** What of kafkajs' OffsetManager commits. Method names survive a minifier. */
const committing = /^\s*at (?:async )?(?:\S+\.)?(seek|commitOffsets|setDefaultOffset) /

/**
 * Whether kafkajs commits because the user has called seek(): to be asked in the call of offsetCommit. Nothing in the
 * request tells that from a commit of the user's.
 */
export function isSeekCall(): boolean {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, isSeekCall)
  for (const line of String(holder.stack).split('\n')) {
    const method = committing.exec(line)?.[1]
    // The nearest one: a handler may have any name.
    if (method) return method === 'seek'
  }
  return false
}
