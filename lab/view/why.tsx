import type { Turn } from '../../src/scenario/simulate'
import { hasMemory, words } from './strategy-words'

export function Why({ turn }: { turn: Turn }) {
  const { rule } = words[turn.strategy]
  return (
    <details class="why">
      <summary>Why</summary>
      <p>{rule}</p>
      {hasMemory(turn.strategy) &&
        turn.rounds.map(({ plan, generation }, index) => {
          const reasons = plan.reasons()
          return (
            <div key={generation}>
              {turn.rounds.length > 1 && (
                <h3>
                  Round {index + 1} <small>generation {generation}</small>
                </h3>
              )}
              <ul>
                {reasons.map(reason => (
                  <li key={reason}>{reason}</li>
                ))}
              </ul>
              {reasons.length === 0 && <p class="faint">Nothing moved.</p>}
            </div>
          )
        })}
    </details>
  )
}
