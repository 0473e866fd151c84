import { describeValue, hasMethods, invalidOption } from '../option-checks'

/** The part of a pino logger that `createPinoLogCreator` uses. */
export interface PinoLike {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}

interface LogEntry {
  namespace: string
  level: number
  log: { message: string; [field: string]: unknown }
}

/** kafkajs' log levels. */
const ERROR = 1
const WARN = 2
const INFO = 4

/**
 * Sends kafkajs' own log lines to pino: `new Kafka({ logCreator: createPinoLogCreator(pino()) })`. kafkajs' namespace
 * becomes the field `namespace`, an Error in the field `error` becomes pino's `err`; kafkajs' timestamp is left out,
 * because pino writes its own. kafkajs' `logLevel` and pino's `level` both apply.
 *
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_OPTION if it is no such logger: kafkajs would find that out
 *   at its first line, in a message that names nobody.
 */
export function createPinoLogCreator(pino: PinoLike): (logLevel: number) => (entry: LogEntry) => void {
  if (!hasMethods(pino, 'error', 'warn', 'info', 'debug'))
    throw invalidOption('pino', `createPinoLogCreator: expected a logger of pino, got ${describeValue(pino)}`)
  return () =>
    ({ namespace, level, log }) => {
      const { message, timestamp: _, error, ...fields } = log
      const record = {
        ...(namespace ? { namespace } : {}),
        ...fields,
        ...(error instanceof Error ? { err: error } : error === undefined ? {} : { error }),
      }
      if (level <= ERROR) pino.error(record, message)
      else if (level <= WARN) pino.warn(record, message)
      else if (level <= INFO) pino.info(record, message)
      else pino.debug(record, message)
    }
}
