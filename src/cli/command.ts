/** Where a command reads and writes. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string>
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
}

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string
  /** The whole help text, which begins with the usage. Without it the command answers to `--help` itself. */
  readonly help?: string
  /** Returns the exit status. Throws UsageError for flags and arguments that it does not understand. */
  run(args: string[], io: Io): Promise<number>
}

/** Wrong flags or arguments: the usage is shown, and the exit status is 2. */
export class UsageError extends Error {}

/** Writes and waits until the stream has taken it. */
export function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, error => (error ? reject(error) : resolve()))
  })
}
