/** The group itself: its topics and consumers, each opening what can be done with it. */

import type { ComponentChildren } from 'preact'
import { startOf, type Topic } from '../../src/scenario/scenario'
import { running } from '../../src/scenario/simulate'
import { codeOf } from '../model/figures'
import { nextNames } from '../model/names'
import { hueOf } from './chip'
import { ConsumerEditor, NewConsumer, NewTopic, TopicEditor } from './editors'
import { act, changesStart, group, type Open, open, place } from './state'

export function GroupStrip() {
  const shown = changesStart.value ? startOf(place.value.scenario.start) : group()
  const names = shown.consumers.map(({ id }) => id)
  return (
    <section class="strip" aria-label="Group">
      <div class="line">
        <fieldset class="switch">
          <legend class="aside">What to change</legend>
          <Mode start={false} label="Act at this step" />
          <Mode start={true} label="Change the start" />
        </fieldset>
      </div>
      <div class="line">
        <span class="label">Topics</span>
        {shown.topics.map((topic, t) => (
          <TopicToken key={topic.topic} topic={topic} t={t} alone={shown.topics.length === 1} />
        ))}
        <AddToken kind="new-topic" label="+ topic" />
      </div>
      <div class="line">
        <span class="label">Consumers</span>
        {shown.consumers.map(({ id, down }) => (
          <Token key={id} open={{ kind: 'consumer', name: id }} class={down ? 'down' : ''} testid={`consumer-${id}`}>
            {id}
          </Token>
        ))}
        {!changesStart.value && (
          <button
            type="button"
            class="token add"
            data-testid="add-one"
            onClick={() => act(nextNames(names, 1).map(id => ({ do: 'join', consumer: { id, topics: null } })))}
          >
            + 1
          </button>
        )}
        <AddToken kind="new-consumer" label="+ consumers …" />
        {running(shown).length === 0 && <span class="faint">nobody is there to read</span>}
      </div>
      <Editor shown={shown} />
    </section>
  )
}

function Mode({ start, label }: { start: boolean; label: string }) {
  const choose = () => {
    changesStart.value = start
    open.value = undefined
  }
  return (
    <label>
      <input type="radio" name="mode" checked={changesStart.value === start} onChange={choose} />
      <span>{label}</span>
    </label>
  )
}

interface TokenProps {
  readonly open: Open
  readonly class: string
  readonly testid: string
  readonly style?: string
  readonly children: ComponentChildren
}

function Token({ open: target, class: kind, testid, style, children }: TokenProps) {
  const isOpen = same(open.value, target)
  return (
    <button
      type="button"
      class={`token ${kind}`}
      style={style}
      data-testid={testid}
      aria-expanded={isOpen}
      aria-controls="editor"
      onClick={() => {
        open.value = isOpen ? undefined : target
      }}
    >
      {children}
    </button>
  )
}

function TopicToken({ topic, t, alone }: { topic: Topic; t: number; alone: boolean }) {
  return (
    <Token open={{ kind: 'topic', name: topic.topic }} class="topic" testid={`topic-${topic.topic}`} style={hueOf(t)}>
      {!alone && <i>{codeOf(t)}</i>} {topic.topic} <span class="faint">× {topic.partitions}</span>
    </Token>
  )
}

const AddToken = ({ kind, label }: { kind: 'new-topic' | 'new-consumer'; label: string }) => (
  <Token open={{ kind }} class="add" testid={kind}>
    {label}
  </Token>
)

const same = (a: Open | undefined, b: Open): boolean => JSON.stringify(a) === JSON.stringify(b)

function Editor({ shown }: { shown: ReturnType<typeof startOf> }) {
  const what = open.value
  if (!what) return null
  const names = shown.consumers.map(({ id }) => id)
  const topic = what.kind === 'topic' ? shown.topics.find(({ topic }) => topic === what.name) : undefined
  const consumer = what.kind === 'consumer' ? shown.consumers.find(({ id }) => id === what.name) : undefined
  if ('name' in what && !topic && !consumer) return null
  return (
    <div class="editor" id="editor" data-testid="editor" key={JSON.stringify(what)}>
      {topic && <TopicEditor topic={topic} />}
      {consumer && <ConsumerEditor consumer={consumer} topics={shown.topics} />}
      {what.kind === 'new-topic' && <NewTopic />}
      {what.kind === 'new-consumer' && (
        <NewConsumer suggested={nextNames(names, 1)[0]!} topics={shown.topics} taken={names} />
      )}
    </div>
  )
}
