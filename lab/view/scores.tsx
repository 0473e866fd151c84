/** The history as a score sheet: a column for each step, a row for each strategy, and what it moved beyond need. */

import type { Strategy } from '../../src/planner/types'
import { sumOf } from '../model/figures'
import { go, history, lastStep, pause, place, play, playing, stepInWords, stepTitle, strategies } from './state'

/** With more steps than this there is no room for bars beside figures. */
const FEW_STEPS = 4

export function Scores() {
  const { scenario, step } = place.value
  const steps = scenario.steps.map((_, i) => i + 1)
  const most = Math.max(1, ...strategies.flatMap(s => steps.map(i => history.value.turns.get(s)![i]!.moved)))
  const sums = new Map(strategies.map(s => [s, sumOf(history.value.turns.get(s)!, lastStep())]))
  const mostInAll = Math.max(1, ...[...sums.values()].map(({ moved }) => moved))
  return (
    <section class="scores" aria-label="History">
      <Player />
      <div class={`sheet ${steps.length > FEW_STEPS ? 'many' : ''}`}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="corner">
                Partitions moved
              </th>
              {[0, ...steps].map(i => (
                <th key={i} scope="col" class={`${i === step ? 'now' : ''} ${i === 0 ? 'start' : ''}`}>
                  <button
                    type="button"
                    class="step"
                    data-testid={`step-${i}`}
                    aria-current={i === step ? 'step' : undefined}
                    onClick={() => {
                      pause()
                      go(i)
                    }}
                  >
                    <b>{i}</b> {i === 0 ? 'start' : stepTitle(scenario, i)}
                  </button>
                </th>
              ))}
              <th scope="col" class="sum">
                in all
              </th>
            </tr>
          </thead>
          <tbody>
            {strategies.map(strategy => (
              <tr key={strategy} data-testid={`scores-${strategy}`}>
                <th scope="row">{strategy}</th>
                <td class={step === 0 ? 'now' : undefined} />
                {steps.map(i => (
                  <td key={i} class={i === step ? 'now' : undefined}>
                    <Score strategy={strategy} step={i} most={most} />
                  </td>
                ))}
                <td class="sum">
                  <Bar {...sums.get(strategy)!} most={mostInAll} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="key">
        <span class="swatch needed" /> needed for the same balance <span class="swatch excess" /> beyond need
      </p>
    </section>
  )
}

function Score({ strategy, step, most }: { strategy: Strategy; step: number; most: number }) {
  const { moved, minimum } = history.value.turns.get(strategy)![step]!
  return <Bar moved={moved} minimum={minimum} most={most} />
}

function Bar({ moved, minimum, most }: { moved: number; minimum: number; most: number }) {
  const needed = Math.min(moved, minimum)
  const share = (count: number) => `${(100 * count) / most}%`
  return (
    <div class="score" data-moved={moved} data-minimum={minimum}>
      <span class="figures">
        <b>{moved}</b>
        {moved > minimum && <span class="faint"> of {minimum}</span>}
      </span>
      <span class="bar" aria-hidden="true">
        <i class="needed" style={{ width: share(needed) }} />
        <i class="excess" style={{ width: share(moved - needed) }} />
      </span>
    </div>
  )
}

const Icon = ({ path }: { path: string }) => (
  <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    <path d={path} fill="currentColor" />
  </svg>
)

function Player() {
  const { step } = place.value
  const to = (next: number) => () => {
    pause()
    go(next)
  }
  return (
    <div class="player">
      <div class="buttons">
        <button type="button" aria-label="To the start" disabled={step === 0} onClick={to(0)}>
          <Icon path="M3 3h2v10H3zM13 3v10L6 8z" />
        </button>
        <button type="button" aria-label="Step back" data-testid="back" disabled={step === 0} onClick={to(step - 1)}>
          <Icon path="M12 3v10L4 8z" />
        </button>
        <button
          type="button"
          class="main"
          data-testid="play"
          aria-label={playing.value ? 'Pause' : 'Play'}
          disabled={lastStep() === 0}
          onClick={() => (playing.value ? pause() : play())}
        >
          {playing.value ? 'Pause' : 'Play'}
        </button>
        <button
          type="button"
          aria-label="Step forward"
          data-testid="forward"
          disabled={step === lastStep()}
          onClick={to(step + 1)}
        >
          <Icon path="M4 3l8 5-8 5z" />
        </button>
        <button type="button" aria-label="To the end" disabled={step === lastStep()} onClick={to(lastStep())}>
          <Icon path="M11 3h2v10h-2zM3 3l7 5-7 5z" />
        </button>
      </div>
      <p class="where" data-testid="where">
        <span class="faint">
          Step {step} of {lastStep()}
        </span>{' '}
        {stepInWords()}
      </p>
    </div>
  )
}

let stepInSight: string | undefined

/** Once for each step, scrolls the sheet, and nothing around it, until the step's column is in sight. */
export function keepStepInSight(): void {
  const [sheet, names, column, sum] = ['.sheet', '.corner', 'th.now', 'th.sum'].map(
    selector => document.querySelector<HTMLElement>(selector)!,
  ) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement]
  if (column.textContent === stepInSight) return
  stepInSight = column.textContent
  const left = column.offsetLeft - names.offsetWidth
  const right = column.offsetLeft + column.offsetWidth + sum.offsetWidth - sheet.clientWidth
  if (sheet.scrollLeft > left) sheet.scrollLeft = left
  else if (sheet.scrollLeft < right) sheet.scrollLeft = right
}
