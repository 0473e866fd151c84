/** Checks of the options that users give: a wrong one is named when it is given, with what would be right. */
import { StickyAssignorError } from './errors'

/** Says what would be right, or undefined if the value is. */
export type Check = (value: unknown) => string | undefined

/** Throws a `StickyAssignorError` that names the option at fault and what would be right. Returns a copy. */
export function validateAgainst(callee: string, options: unknown, allowed: Readonly<Record<string, Check>>): object {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw invalidOption('options', `${callee}: expected an object of options, got ${describeValue(options)}`)
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(allowed, name) ? allowed[name] : undefined
    if (!check)
      throw invalidOption(name, `${callee}: unknown option "${name}"; known are ${Object.keys(allowed).join(', ')}`)
    const right = value === undefined ? undefined : check(value)
    if (right) throw invalidOption(name, `${callee}: option "${name}" must be ${right}, got ${describeValue(value)}`)
  }
  return { ...options }
}

export function invalidOption(option: string, message: string): StickyAssignorError {
  return new StickyAssignorError('STICKY_ERR_INVALID_OPTION', option, message)
}

export function hasMethods(value: unknown, ...names: string[]): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return names.every(name => typeof (value as Record<string, unknown>)[name] === 'function')
}

export function describeValue(value: unknown): string {
  if (value === '') return 'an empty string'
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number') return `number ${value}`
  return typeof value === 'string' ? `string ${JSON.stringify(value)}` : typeof value
}
