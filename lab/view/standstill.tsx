/** What a rebalance stops, and what goes on being read meanwhile. */

import type { Turn } from '../../src/scenario/simulate'

export function Standstill({ turn }: { turn: Turn }) {
  const { goOn, returned, handedOver, orphaned } = turn.standstill
  const all = goOn + returned + handedOver + orphaned
  const parts = [
    { kind: 'go-on', count: goOn, words: 'are read on' },
    { kind: 'returned', count: returned, words: 'stop and come back' },
    { kind: 'handed-over', count: handedOver, words: 'stop and change hands' },
    { kind: 'orphaned', count: orphaned, words: 'had no reader' },
  ].filter(({ count }) => count > 0)
  return (
    <div class="standstill" data-testid="standstill" data-go-on={goOn} data-stopped={returned + handedOver}>
      <p class="protocol">
        <b>{turn.cooperative ? 'Cooperative' : 'Eager'}</b>
        <span class="faint">
          {turn.rounds.length === 0
            ? 'no rebalance yet'
            : turn.rounds.length === 1
              ? '1 round'
              : `${turn.rounds.length} rounds`}
        </span>
      </p>
      {all > 0 && turn.rounds.length > 0 && (
        <>
          <span class="bar" aria-hidden="true">
            {parts.map(({ kind, count }) => (
              <i key={kind} class={kind} style={{ flexGrow: count }} />
            ))}
          </span>
          <ul>
            {parts.map(({ kind, count, words }) => (
              <li key={kind}>
                <span class={`swatch ${kind}`} aria-hidden="true" /> <b>{count}</b> {words}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
