/** One board for each strategy: who owns what, with the partitions that have just moved standing out. */

import type { VNode } from 'preact'
import type { Strategy } from '../../src/planner/types'
import type { Member } from '../../src/scenario/scenario'
import { type Owners, subscription, type Turn } from '../../src/scenario/simulate'
import { asRequest, countsInWords } from '../model/copy'
import { countsOf, hasStayed, idleOf, otherRackOf } from '../model/figures'
import { Chip, type ChipState } from './chip'
import { CopyButton } from './copy-button'
import { moveTabStop, walkChips } from './roving'
import { Standstill } from './standstill'
import { chosen, group, place, round, showRound, strategies, turnOf } from './state'
import { words } from './strategy-words'
import { Why } from './why'

/** Shares of at most this size stand beside the consumer's name, larger ones below it. */
const BESIDE_NAME = 4

export function Boards() {
  // The rows of all boards line up: each board spans as many rows of one grid, the last for what nobody reads.
  const rows = group().consumers.length + 1
  const shares = strategies.flatMap(strategy => [...countsOf(group(), turnOf(strategy).owners).values()])
  const compact = Math.max(0, ...shares) <= BESIDE_NAME
  return (
    <section class={`boards ${compact ? 'compact' : ''}`} aria-label="Boards" style={`--rows:${rows}`}>
      {strategies.map(strategy => (
        <Board key={strategy} strategy={strategy} />
      ))}
    </section>
  )
}

function Board({ strategy }: { strategy: Strategy }) {
  const { step } = place.value
  const turn = turnOf(strategy)
  const shown = Math.min(round.value, turn.rounds.length - 1)
  const owners = turn.rounds[shown]?.owners ?? turn.owners
  const withheld = turn.rounds[shown]?.withheld
  const counts = countsOf(group(), owners)
  const chips = chipsByOwner(turn, owners, withheld, step === 0)
  const nobody = chips.get(null)
  return (
    <article class="board" data-testid={`board-${strategy}`} aria-label={strategy}>
      <h2>
        {strategy} <small>{words[strategy].by}</small>
      </h2>
      <Figures turn={turn} first={step === 0} />
      <Rounds count={turn.rounds.length} shown={shown} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys walk between the buttons inside */}
      <div class="rows" onKeyDown={walkChips} onFocusIn={moveTabStop}>
        {group().consumers.map(consumer => (
          <Row
            key={consumer.id}
            consumer={consumer}
            count={counts.get(consumer.id) ?? 0}
            chips={chips.get(consumer.id)}
          />
        ))}
        {nobody && (
          <div class="row nobody" data-testid="nobody">
            <span class="name">nobody</span>
            <span class="count">{nobody.flat().length}</span>
            <span class="chips">{inGroups(nobody)}</span>
          </div>
        )}
      </div>
      <Standstill turn={turn} />
      <footer>
        <Why turn={turn} />
        <CopyButton
          id={`copy-request-${strategy}`}
          label="Copy request"
          disabled={turn.rounds.length === 0}
          text={() => asRequest(turn, shown)}
        />
      </footer>
    </article>
  )
}

function Figures({ turn, first }: { turn: Turn; first: boolean }) {
  const idle = idleOf(group(), turn.owners).length
  const excess = turn.moved - turn.minimum
  const otherRack = otherRackOf(group(), turn.owners)
  return (
    <dl class="figures">
      <div>
        <dt>moved</dt>
        <dd data-testid="moved" class={!first && excess > 0 ? 'excess' : undefined}>
          {first ? '–' : turn.moved}
        </dd>
      </div>
      <div>
        <dt>needed</dt>
        <dd data-testid="minimum">{first ? '–' : turn.minimum}</dd>
      </div>
      <div>
        <dt>each has</dt>
        <dd data-testid="counts">{countsInWords([...countsOf(group(), turn.owners).values()])}</dd>
      </div>
      <div>
        <dt>idle</dt>
        <dd data-testid="idle" class={idle > 0 ? 'excess' : undefined}>
          {idle}
        </dd>
      </div>
      {otherRack !== undefined && (
        <div>
          <dt>read from another rack</dt>
          <dd data-testid="other-rack">{otherRack}</dd>
        </div>
      )}
    </dl>
  )
}

function Rounds({ count, shown }: { count: number; shown: number }) {
  if (count < 2) return <div class="rounds none" />
  return (
    <fieldset class="rounds">
      <legend class="aside">Rounds of this rebalance</legend>
      {Array.from({ length: count }, (_, i) => (
        <button
          key={i}
          type="button"
          data-testid={`round-${i + 1}`}
          aria-pressed={i === shown}
          onClick={() => showRound(i)}
        >
          {i + 1} · {i === 0 ? 'give up' : 'take over'}
        </button>
      ))}
    </fieldset>
  )
}

function Row({ consumer, count, chips = [] }: { consumer: Member; count: number; chips: Chips | undefined }) {
  const { id, down, rackId } = consumer
  const idle = !down && chips.length === 0
  const readsNothing = idle && subscription(group(), consumer).length === 0
  const state = down ? 'down' : readsNothing ? 'no topic' : idle ? 'idle' : count === 0 ? 'waits' : count
  return (
    <div class={`row ${down ? 'down' : idle ? 'idle' : ''}`} data-member={id}>
      <span class="name">
        {id}
        {rackId && <small> {rackId}</small>}
      </span>
      <span class="count">{state}</span>
      <span class="chips">{inGroups(chips)}</span>
    </div>
  )
}

/** A list of chips for each topic. */
type Chips = VNode[][]

function chipsByOwner(
  turn: Turn,
  owners: Owners,
  withheld: Owners | undefined,
  first: boolean,
): Map<string | null, Chips> {
  const chips = new Map<string | null, Chips>()
  const { topics } = group()
  topics.forEach(({ topic, partitions }, t) => {
    const ofTopic = new Map<string | null, VNode[]>()
    for (let partition = 0; partition < partitions; partition++) {
      const owner = owners.get(topic)?.[partition] ?? null
      const waits = owner === null ? (withheld?.get(topic)?.[partition] ?? null) : null
      const to = owner ?? waits
      const from = turn.before.get(topic)?.[partition] ?? null
      const stays = first || owner === null || hasStayed(turn, topic, partition, owner)
      const state: ChipState = waits !== null ? 'waiting' : stays ? 'kept' : 'moved'
      const pressed = chosen.value?.topic === topic && chosen.value.partition === partition
      const chip = (
        <Chip
          key={`${topic} ${partition}`}
          id={`${turn.strategy} ${topic} ${partition}`}
          {...{ topic, t, topics: topics.length, partition, state, pressed, words: inWords(state, from, to) }}
          onClick={() => {
            chosen.value = pressed ? undefined : { topic, partition }
          }}
        />
      )
      ofTopic.set(to, [...(ofTopic.get(to) ?? []), chip])
    }
    for (const [to, list] of ofTopic) chips.set(to, [...(chips.get(to) ?? []), list])
  })
  return chips
}

function inWords(state: ChipState, from: string | null, to: string | null): string {
  if (state === 'waiting') return `waits for ${from} to give it up`
  if (state === 'kept') return to === null ? 'nobody reads it' : 'stays'
  return from === null || from === to ? `given to ${to}` : `moved from ${from} to ${to}`
}

const inGroups = (chips: Chips) =>
  chips.map((list, index) => (
    <span class="topic" key={index}>
      {list}
    </span>
  ))
