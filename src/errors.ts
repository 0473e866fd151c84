/** Codes of the errors that this package throws. */
export type ErrorCode =
  /** An option that is unknown, or of the wrong type or range. */
  | 'STICKY_ERR_INVALID_OPTION'
  /** A plan request that cannot be read; the message names the field. */
  | 'STICKY_ERR_INVALID_REQUEST'

const brand = Symbol.for('kafkajs-sticky-assignor.error')

/** Base of all errors of this package. `instanceof` also recognises errors of another copy of the package. */
export class StickyAssignorError extends Error {
  readonly code: ErrorCode
  /** The option or field at fault. */
  readonly field: string

  constructor(code: ErrorCode, field: string, message: string) {
    super(message)
    this.name = 'StickyAssignorError'
    this.code = code
    this.field = field
    Object.defineProperty(this, brand, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true
  }
}
