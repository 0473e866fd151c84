/** Gives other work a turn: fetches, handlers, heartbeats. */
export const pause = () => new Promise<void>(resolve => setImmediate(resolve))

/** Bytes that are read or written before other work gets a turn: a few milliseconds. */
export const bytesPerTurn = 300_000
