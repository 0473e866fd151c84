/** What the live page knows: the looks that the server sends, and what changed between them. */

import { between, type Change, changesNothing, isSettled, type Look } from '../../../src/scenario/look'
import { signal } from '../signals'

const LOG_LENGTH = 200

export interface Entry {
  readonly at: number
  readonly change: Change
}

export interface Watched {
  /** The last look, and the last one that tells who owns what. */
  readonly look: Look
  readonly settled: Look | undefined
  /** Changes, the newest first. */
  readonly log: readonly Entry[]
}

export const watched = signal<Watched | undefined>(undefined)
/** Why there is no news, if there is none. */
export const problem = signal<string | undefined>('Waiting for the first look …')

export function see(look: Look): void {
  const { settled, log } = watched.value ?? { settled: undefined, log: [] }
  problem.value = undefined
  if (!isSettled(look)) {
    watched.value = { look, settled, log }
    return
  }
  const change = settled && between(settled, look)
  const entries = change && !changesNothing(change) ? [{ at: look.at, change }, ...log].slice(0, LOG_LENGTH) : log
  watched.value = { look, settled: look, log: entries }
}

/** Listens to the server that the page comes from. The browser connects again by itself. */
export function watch(): void {
  const source = new EventSource('live')
  source.addEventListener('look', event => see(JSON.parse(event.data)))
  source.addEventListener('problem', event => {
    problem.value = JSON.parse(event.data)
  })
  source.addEventListener('error', () => {
    problem.value = 'The lab’s server does not answer. This is the last that it said.'
  })
}
