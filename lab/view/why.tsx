import type { Turn } from '../../src/scenario/simulate'
import { words } from './strategy-words'

export function Why({ turn }: { turn: Turn }) {
  const { rule } = words[turn.strategy]
  return (
    <details class="why">
      <summary>Why</summary>
      <p>{rule}</p>
      {turn.rounds.map(({ plan, generation }) => {
        const reasons = plan.reasons()
        return (
          <div key={generation}>
            {turn.rounds.length > 1 && <h3>Generation {generation}</h3>}
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
