/** What can be done with a topic or a consumer, at a step or at the start. */

import type { Action, Consumer, Member, Start, Topic } from '../../src/scenario/scenario'
import { limits } from '../model/address'
import { nextNames } from '../model/names'
import {
  isSame,
  Rack,
  readRack,
  readShape,
  readSubscription,
  SameRebalance,
  Shape,
  Subscription,
  submitted,
  text,
} from './fields'
import { act, changesStart, open, place, restartWith } from './state'

const start = (): Start => place.value.scenario.start
const close = () => {
  open.value = undefined
}

export function TopicEditor({ topic }: { topic: Topic }) {
  const name = topic.topic
  const remove = () => {
    close()
    if (!changesStart.value) return act([{ do: 'delete', topic: name }])
    restartWith({ ...start(), topics: start().topics.filter(other => other.topic !== name) })
  }
  const reshape = submitted(form => {
    const next = { topic: name, ...readShape(form) }
    if (!changesStart.value) return act([{ do: 'topic', topic: next }], isSame(form))
    restartWith({ ...start(), topics: start().topics.map(other => (other.topic === name ? next : other)) })
  })
  return (
    <form onSubmit={reshape}>
      <h3>{name}</h3>
      <Shape topic={topic} least={changesStart.value ? 1 : Math.min(topic.partitions + 1, limits.partitions)} />
      {!changesStart.value && <SameRebalance />}
      <button type="submit" data-testid="apply">
        {changesStart.value ? 'Apply' : 'Grow'}
      </button>
      <button type="button" data-testid="delete" onClick={remove}>
        Delete
      </button>
    </form>
  )
}

export function NewTopic() {
  const create = submitted(form => {
    const topic = { topic: text(form, 'name'), ...readShape(form) }
    close()
    if (!changesStart.value) return act([{ do: 'topic', topic }], isSame(form))
    const others = start().topics.filter(other => other.topic !== topic.topic)
    restartWith({ ...start(), topics: [...others, topic] })
  })
  return (
    <form onSubmit={create}>
      <h3>New topic</h3>
      <Name />
      <Shape />
      {!changesStart.value && <SameRebalance />}
      <button type="submit" data-testid="apply">
        Create
      </button>
    </form>
  )
}

export function ConsumerEditor({ consumer, topics }: { consumer: Member; topics: readonly Topic[] }) {
  return changesStart.value ? (
    <ConsumerAtStart consumer={consumer} topics={topics} />
  ) : (
    <ConsumerInGroup consumer={consumer} topics={topics} />
  )
}

function ConsumerInGroup({ consumer, topics }: { consumer: Member; topics: readonly Topic[] }) {
  const { id, down } = consumer
  const happens =
    (...steps: Action[]) =>
    (event: MouseEvent & { currentTarget: HTMLButtonElement }) => {
      const same = isSame(new FormData(event.currentTarget.form!))
      steps.forEach((action, i) => void act([action], same && i === 0))
    }
  const subscribe = submitted(form => act([{ do: 'subscribe', id, topics: readSubscription(form) }], isSame(form)))
  return (
    <form onSubmit={subscribe}>
      <h3>{id}</h3>
      <SameRebalance />
      {down ? (
        <button type="button" data-testid="restart" onClick={happens({ do: 'restart', id })}>
          Start again
        </button>
      ) : (
        <>
          <button type="button" data-testid="crash" onClick={happens({ do: 'crash', id })}>
            Crash
          </button>
          <button type="button" data-testid="restart" onClick={happens({ do: 'crash', id }, { do: 'restart', id })}>
            Restart
          </button>
        </>
      )}
      <button type="button" data-testid="remove" onClick={happens({ do: 'leave', id })}>
        {down ? 'Clear away' : 'Remove'}
      </button>
      {!down && (
        <>
          <Subscription topics={topics} chosen={consumer.topics} />
          <button type="submit" data-testid="apply">
            Subscribe
          </button>
        </>
      )}
    </form>
  )
}

function ConsumerAtStart({ consumer, topics }: { consumer: Consumer; topics: readonly Topic[] }) {
  const { id } = consumer
  const change = submitted(form => {
    const next = { id, topics: readSubscription(form), ...readRack(form) }
    restartWith({ ...start(), consumers: start().consumers.map(other => (other.id === id ? next : other)) })
  })
  const remove = () => {
    close()
    restartWith({ ...start(), consumers: start().consumers.filter(other => other.id !== id) })
  }
  return (
    <form onSubmit={change}>
      <h3>{id}</h3>
      <Rack rackId={consumer.rackId} />
      <Subscription topics={topics} chosen={consumer.topics} />
      <button type="submit" data-testid="apply">
        Apply
      </button>
      <button type="button" data-testid="remove" onClick={remove}>
        Remove
      </button>
    </form>
  )
}

interface NewConsumerProps {
  readonly suggested: string
  readonly topics: readonly Topic[]
  readonly taken: readonly string[]
}

export function NewConsumer({ suggested, topics, taken }: NewConsumerProps) {
  const add = submitted(form => {
    const first = text(form, 'name')
    const names = [first, ...nextNames([...taken, first], Number(text(form, 'count')) - 1)]
    const consumers = names.map(id => ({ id, topics: readSubscription(form), ...readRack(form) }))
    close()
    if (!changesStart.value)
      return act(
        consumers.map(consumer => ({ do: 'join', consumer })),
        isSame(form),
      )
    const others = start().consumers.filter(({ id }) => !names.includes(id))
    restartWith({ ...start(), consumers: [...others, ...consumers] })
  })
  return (
    <form onSubmit={add}>
      <h3>New consumers</h3>
      <Name suggested={suggested} />
      <label class="field">
        <span>How many</span>
        <input name="count" type="number" min={1} max={limits.consumers} required defaultValue="1" />
      </label>
      <Rack />
      <Subscription topics={topics} chosen={null} />
      {!changesStart.value && <SameRebalance />}
      <button type="submit" data-testid="apply">
        {changesStart.value ? 'Add' : 'Join'}
      </button>
    </form>
  )
}

const Name = ({ suggested = '' }: { suggested?: string }) => (
  <label class="field">
    <span>Name</span>
    <input name="name" required maxLength={limits.name} pattern=".*\S.*" defaultValue={suggested} />
  </label>
)
