import { BadScenario } from './bad-scenario'

/** JSON.parse, with line and column of what is wrong. */
export function parseJson(text: string): unknown {
  const error = errorOf(text)
  if (!error) return JSON.parse(text)
  const before = text.slice(0, placeOf(text, error)).split('\n')
  const problem = error.replace(/( in JSON)? at position.*$|, (\.\.\.)?".*$/s, '')
  throw new BadScenario(`line ${before.length}, column ${before.at(-1)!.length + 1}`, `not JSON: ${problem}`)
}

function errorOf(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** V8 gives the position of most errors. Not of an unexpected token: that is where the shortest text with this error ends. */
function placeOf(text: string, error: string): number {
  const told = /at position (\d+)/.exec(error)
  if (told) return Number(told[1])
  if (!isUnexpectedToken(error)) return text.length
  let [shorter, longer] = [0, text.length]
  while (longer - shorter > 1) {
    const middle = (shorter + longer) >> 1
    if (isUnexpectedToken(errorOf(text.slice(0, middle)) ?? '')) longer = middle
    else shorter = middle
  }
  return shorter
}

const isUnexpectedToken = (error: string): boolean => error.startsWith('Unexpected token')
