/** Values that every logger can write: NestJS' turns a record into JSON and throws at a BigInt. */
export type LogFields = Record<string, string | number>

/** A logger in pino's shape: fields first, then the text. pino itself fits. */
export interface FieldsFirstLogger {
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** A logger in kafkajs' shape: the text first. */
export interface MessageFirstLogger {
  info(message: string, extra?: object): void
  warn(message: string, extra?: object): void
  error(message: string, extra?: object): void
}

/** The logger that this package writes to. Its methods never throw; what could not be logged is counted. */
export interface Log extends FieldsFirstLogger {
  /** Lines lost because the logger threw. */
  readonly failures: number
}

export function logTo(logger: FieldsFirstLogger): Log {
  return new SafeLog((level, fields, message) => logger[level](fields, message))
}

export function logToMessageFirst(logger: MessageFirstLogger): Log {
  return new SafeLog((level, fields, message) => logger[level](message, fields))
}

type Write = (level: 'info' | 'warn' | 'error', fields: LogFields, message: string) => unknown

class SafeLog implements Log {
  failures = 0

  constructor(private readonly write: Write) {}

  info(fields: LogFields, message: string): void {
    this.attempt('info', fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.attempt('warn', fields, message)
  }

  error(fields: LogFields, message: string): void {
    this.attempt('error', fields, message)
  }

  private attempt(...line: Parameters<Write>): void {
    try {
      const result = this.write(...line)
      // A logger that returns a promise must not end the process with an unhandled rejection.
      if (result instanceof Promise) result.catch(() => this.failures++)
    } catch {
      this.failures++
    }
  }
}
