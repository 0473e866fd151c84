/** A real group, look by look. */

import type { VNode } from 'preact'
import { type Change, type Look, type LookMember, scenarioOf } from '../../../src/scenario/look'
import { enumerate } from '../../../src/scenario/words'
import { encode, tooLarge } from '../../model/address'
import { codeOf } from '../../model/figures'
import { Chip, hueOf } from '../chip'
import { moveTabStop, walkChips } from '../roving'
import { problem, type Watched, watched } from './state'

export function LivePage() {
  const seen = watched.value
  return (
    <>
      <header>
        <div class="title">
          <h1>{seen ? `Group ${seen.look.groupId}` : 'Live group'}</h1>
          <p data-testid="state">{seen ? stateInWords(seen.look) : ''}</p>
        </div>
        <div class="tools">{seen?.settled && <ToTheLab look={seen.settled} />}</div>
      </header>
      <main>
        {problem.value && (
          <p class="note" role="status" data-testid="problem">
            {problem.value}
          </p>
        )}
        {seen?.look.notes.map(text => (
          <p class="note" key={text}>
            {text}
          </p>
        ))}
        {seen?.settled && <Members look={seen.settled} last={seen.log[0]?.change} />}
        {seen && <Log seen={seen} />}
      </main>
    </>
  )
}

function stateInWords({ at, state, protocol, members, topics }: Look): string {
  const partitions = Object.values(topics).reduce((sum, count) => sum + count, 0)
  const generation = Math.max(-1, ...members.map(({ generation }) => generation ?? -1))
  return [
    state,
    protocol,
    `${members.length} members`,
    `${partitions} partitions`,
    ...(generation >= 0 ? [`joined with claims of generation ${generation}`] : []),
    `seen at ${timeOf(at)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

const timeOf = (at: number): string => new Date(at).toLocaleTimeString()

/** The same group in the lab, to try changes on. */
function ToTheLab({ look }: { look: Look }) {
  const scenario = scenarioOf(look)
  const problem = tooLarge(scenario)
  if (problem) return <span class="faint">Too large for the lab: {problem}</span>
  return (
    <a class="button" data-testid="to-the-lab" href={`lab#${encode({ scenario, step: 0 })}`}>
      Try changes in the lab
    </a>
  )
}

function Members({ look, last }: { look: Look; last: Change | undefined }) {
  const topics = Object.entries(look.topics).filter(([, partitions]) => partitions > 0)
  const moves = new Map(last?.moved.map(move => [`${move.partition} ${move.topic}`, move]))
  const chipsOf = (owns: (topic: string, partition: number) => boolean) =>
    topics.flatMap(([topic, partitions], t) => {
      const chips: VNode[] = []
      for (let partition = 0; partition < partitions; partition++) {
        if (!owns(topic, partition)) continue
        const move = moves.get(`${partition} ${topic}`)
        const state = move ? ('moved' as const) : ('kept' as const)
        const words = move ? (move.from === null ? 'taken over' : `moved from ${move.from}`) : 'stays'
        const id = `${topic} ${partition}`
        chips.push(<Chip key={id} {...{ id, topic, t, topics: topics.length, partition, state, words }} />)
      }
      return chips.length > 0 ? [chips] : []
    })
  const nobody = chipsOf((topic, p) => !look.members.some(({ assigned }) => assigned[topic]?.includes(p)))
  return (
    <section class="board live" aria-label="Members">
      <p class="line">
        {topics.map(([topic, partitions], t) => (
          <span key={topic} class="token topic" style={hueOf(t)}>
            {topics.length > 1 && <i>{codeOf(t)}</i>} {topic} <span class="faint">× {partitions}</span>
          </span>
        ))}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys walk between the buttons inside */}
      <div class="rows" onKeyDown={walkChips} onFocusIn={moveTabStop}>
        {look.members.map(member => (
          <MemberRow
            key={member.memberId}
            member={member}
            chips={chipsOf((t, p) => member.assigned[t]?.includes(p) ?? false)}
          />
        ))}
        {nobody.length > 0 && (
          <div class="row nobody" data-testid="nobody">
            <span class="name">nobody</span>
            <span class="count">{nobody.flat().length}</span>
            <span class="chips">{grouped(nobody)}</span>
          </div>
        )}
      </div>
    </section>
  )
}

function MemberRow({ member, chips }: { member: LookMember; chips: VNode[][] }) {
  const { memberId, clientId, host, rackId, lag } = member
  const rest = memberId.startsWith(clientId) ? memberId.slice(clientId.length) : ` ${memberId}`
  const count = chips.flat().length
  return (
    <div class={`row ${count === 0 ? 'idle' : ''}`} data-member={memberId}>
      <span class="name">
        <b>{clientId}</b>
        <small>
          {rest} {host.replace(/^\//, '')} {rackId}
        </small>
      </span>
      <span class="count">
        {count === 0 ? 'idle' : count}
        {lag !== null && <small> · lag {lag}</small>}
      </span>
      <span class="chips">{grouped(chips)}</span>
    </div>
  )
}

const grouped = (chips: VNode[][]) =>
  chips.map((list, index) => (
    <span class="topic" key={index}>
      {list}
    </span>
  ))

function Log({ seen }: { seen: Watched }) {
  return (
    <section class="log" aria-label="Changes">
      <h2>Changes between two looks</h2>
      <p class="faint">
        What happened from one look to the next, counted from what the broker told: rebalances in between that a later
        one undid are not seen.
      </p>
      {seen.log.length === 0 && <p>None yet.</p>}
      <ol aria-live="polite" data-testid="log">
        {seen.log.map(({ at, change }) => (
          <li key={at} data-moved={change.moved.length} data-kept={change.kept}>
            <time>{timeOf(at)}</time> {changeInWords(change)}
          </li>
        ))}
      </ol>
    </section>
  )
}

function changeInWords({ joined, left, kept, moved, transferred, dropped }: Change): string {
  const people = [
    ...(joined.length > 0 ? [`${enumerate(joined)} joined`] : []),
    ...(left.length > 0 ? [`${enumerate(left)} left`] : []),
  ]
  const counts = [
    `${moved.length} moved (${transferred} from a member that is still there)`,
    `${kept} stayed`,
    ...(dropped > 0 ? [`${dropped} with nobody`] : []),
  ]
  return `${[...people, counts.join(', ')].join('; ')}.`
}
