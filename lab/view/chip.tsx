import { codeOf } from '../model/figures'

/** `waiting`: planned for the consumer, and read by nobody until it has been given up. */
export type ChipState = 'kept' | 'moved' | 'waiting'

interface Props {
  /** Of the element, to be found again wherever it stands. */
  readonly id: string
  readonly topic: string
  /** Number of the topic, and how many there are: a single one needs no letter. */
  readonly t: number
  readonly topics: number
  readonly partition: number
  readonly state: ChipState
  readonly words: string
  readonly pressed?: boolean
  readonly onClick?: () => void
}

const hues = [250, 155, 55, 320, 195, 105, 285, 20]
export const hueOf = (topic: number): string => `--hue:${hues[topic % hues.length]}`

/** One partition. */
export function Chip({ id, topic, t, topics, partition, state, words, pressed, onClick }: Props) {
  return (
    <button
      type="button"
      class={`chip ${state}`}
      style={hueOf(t)}
      data-key={id}
      data-topic={topic}
      data-partition={partition}
      data-state={state}
      tabIndex={-1}
      aria-pressed={pressed}
      aria-label={`${topic} ${partition}, ${words}`}
      title={`${topic}-${partition}: ${words}`}
      onClick={onClick}
    >
      {topics > 1 && <i>{codeOf(t)}</i>}
      {partition}
    </button>
  )
}
