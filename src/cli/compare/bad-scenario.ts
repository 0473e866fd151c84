/** A scenario that cannot be read: where it is wrong, and what was expected there. */
export class BadScenario extends Error {
  constructor(place: string, problem: string) {
    super(place === '' ? problem : `${place}: ${problem}`)
  }
}

export function expected(place: string, what: string, value: unknown): BadScenario {
  return new BadScenario(place, `expected ${what}, got ${describe(value)}`)
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  // JSON has no word for a number beyond all numbers, which 1e400 is read as.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`
}
