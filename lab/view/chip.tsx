import { codeOf } from '../model/figures'
import { chosen, group } from './state'

/** `waiting`: planned for the consumer, and read by nobody until it has been given up. */
export type ChipState = 'kept' | 'moved' | 'waiting'

export interface ChipProps {
  readonly strategy: string
  readonly topic: string
  readonly t: number
  readonly partition: number
  readonly state: ChipState
  readonly from: string | null
  readonly to: string | null
}

const hues = [250, 155, 55, 320, 195, 105, 285, 20]
export const hueOf = (topic: number): string => `--hue:${hues[topic % hues.length]}`

export function Chip({ strategy, topic, t, partition, state, from, to }: ChipProps) {
  const isChosen = chosen.value?.topic === topic && chosen.value.partition === partition
  const words = {
    kept: to === null ? 'nobody reads it' : 'stays',
    moved: from === null || from === to ? `given to ${to}` : `moved from ${from} to ${to}`,
    waiting: `waits for ${from} to give it up`,
  }
  return (
    <button
      type="button"
      class={`chip ${state}`}
      style={hueOf(t)}
      data-key={`${strategy} ${topic} ${partition}`}
      data-topic={topic}
      data-partition={partition}
      data-state={state}
      tabIndex={-1}
      aria-pressed={isChosen}
      aria-label={`${topic} ${partition}, ${words[state]}`}
      title={`${topic}-${partition}: ${words[state]}`}
      onClick={() => {
        chosen.value = isChosen ? undefined : { topic, partition }
      }}
    >
      {group().topics.length > 1 && <i>{codeOf(t)}</i>}
      {partition}
    </button>
  )
}
