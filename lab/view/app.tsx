import { Boards } from './board'
import { CopyByHand } from './copy-button'
import { Details } from './details'
import { GroupStrip } from './group-strip'
import { Header } from './header'
import { Notes } from './notes'
import { Scores } from './scores'
import { group, note, place, stepInWords, strategies, turnOf } from './state'

export function App() {
  return (
    <>
      <Header />
      <main>
        {note.value && (
          <div class="note" role="alert" data-testid="note">
            <span>{note.value}</span>
            <button
              type="button"
              class="quiet"
              aria-label="Dismiss"
              onClick={() => {
                note.value = undefined
              }}
            >
              ×
            </button>
          </div>
        )}
        <Scores />
        <GroupStrip />
        <Boards />
        <Notes />
      </main>
      <Details />
      <CopyByHand />
      <p class="aside" aria-live="polite" data-testid="summary">
        {summary()}
      </p>
    </>
  )
}

/** What a screen reader hears after each step. */
function summary(): string {
  const { step, scenario } = place.value
  const moved = strategies.map(strategy => {
    const { moved, minimum } = turnOf(strategy)
    return `${strategy} moved ${moved}, needed ${minimum}`
  })
  const size = `${group().consumers.filter(({ down }) => !down).length} consumers`
  const what = step > 0 ? `: ${moved.join(', ')}` : ''
  return `Step ${step} of ${scenario.steps.length}, ${stepInWords()}, ${size}${what}.`
}
