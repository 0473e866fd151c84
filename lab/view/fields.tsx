/** Form fields that several editors share, and how they are read. */

import type { Topic } from '../../src/scenario/scenario'
import { limits } from '../model/address'
import { place } from './state'

export function Subscription({ topics, chosen }: { topics: readonly Topic[]; chosen: readonly string[] | null }) {
  return (
    <fieldset class="choice">
      <legend>Subscribes</legend>
      <label>
        <input type="checkbox" name="every" defaultChecked={chosen === null} /> every topic
      </label>
      {topics.map(({ topic }) => (
        <label key={topic} class="one">
          <input type="checkbox" name="topics" value={topic} defaultChecked={chosen?.includes(topic) ?? true} /> {topic}
        </label>
      ))}
    </fieldset>
  )
}

export function readSubscription(form: FormData): string[] | null {
  return form.get('every') ? null : form.getAll('topics').map(String)
}

export const Rack = ({ rackId }: { rackId?: string | null | undefined }) => (
  <label class="field">
    <span>Rack</span>
    <input name="rack" size={6} maxLength={limits.name} defaultValue={rackId ?? ''} placeholder="none" />
  </label>
)

export const readRack = (form: FormData): { rackId?: string } => {
  const rackId = text(form, 'rack')
  return rackId ? { rackId } : {}
}

export function Shape({ topic, least = 1 }: { topic?: Topic; least?: number }) {
  return (
    <>
      <label class="field">
        <span>Partitions</span>
        <input
          name="partitions"
          type="number"
          min={least}
          max={limits.partitions}
          required
          defaultValue={String(Math.max(least, topic?.partitions ?? 6))}
        />
      </label>
      <label class="field">
        <span>Brokers’ racks</span>
        <input name="racks" size={10} defaultValue={topic?.racks?.join(' ') ?? ''} placeholder="none" />
      </label>
      <label class="field">
        <span>Replicas</span>
        <input name="replicas" type="number" min={1} max={9} defaultValue={String(topic?.replicas ?? 1)} />
      </label>
    </>
  )
}

export function readShape(form: FormData): Omit<Topic, 'topic'> {
  const partitions = Number(text(form, 'partitions'))
  const racks = text(form, 'racks')
    .split(/[\s,]+/)
    .filter(Boolean)
  return racks.length > 0 ? { partitions, racks, replicas: Number(text(form, 'replicas')) || 1 } : { partitions }
}

export const text = (form: FormData, field: string): string => String(form.get(field) ?? '').trim()

/** The first rebalance makes the start; nothing can be in time for it. */
export const SameRebalance = () =>
  place.value.step === 0 ? null : (
    <label class="check">
      <input type="checkbox" name="same" /> in the same rebalance as this step
    </label>
  )

export const isSame = (form: FormData): boolean => form.get('same') !== null

/** A submit handler that hands over what the form holds. */
export const submitted =
  (use: (form: FormData) => void) =>
  (event: SubmitEvent): void => {
    event.preventDefault()
    use(new FormData(event.currentTarget as HTMLFormElement))
  }
