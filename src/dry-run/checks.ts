import { StickyAssignorError } from '../errors'

/** A value of a request that is not what it has to be there. */
export function invalid(field: string, expected: string, value: unknown): StickyAssignorError {
  const message = `${field}: expected ${expected}, got ${describe(value)}`
  return new StickyAssignorError('STICKY_ERR_INVALID_REQUEST', field, message)
}

/** Where a named value is inside another: `topics.orders`, `topics["my topic"]`. */
export function fieldOf(parent: string, name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `${parent}.${name}` : `${parent}[${JSON.stringify(shorten(name))}]`
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? JSON.stringify(shorten(value)) : String(value)
}

const shorten = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`)
