/** One partition under every strategy, on a sheet at the foot of the page. */

import { running, type Turn } from '../../src/scenario/simulate'
import { hasStayed } from '../model/figures'
import { type Chosen, chosen, group, place, strategies, turnOf } from './state'
import { hasMemory, words } from './strategy-words'

export function Details() {
  if (!chosen.value) return null
  const { topic, partition } = chosen.value
  const name = `${topic}-${partition}`
  const exists = group().topics.some(other => other.topic === topic && other.partitions > partition)
  return (
    <aside class="details" aria-label={`Partition ${name}`} data-testid="details">
      <h2>
        {name} <small>{exists ? `at step ${place.value.step}` : `does not exist at step ${place.value.step}`}</small>
        <button
          type="button"
          class="quiet"
          aria-label="Close"
          onClick={() => {
            chosen.value = undefined
          }}
        >
          ×
        </button>
      </h2>
      <table>
        <tbody>
          {exists && strategies.map(strategy => <Path key={strategy} turn={turnOf(strategy)} {...chosen.value!} />)}
        </tbody>
      </table>
    </aside>
  )
}

function Path({ turn, topic, partition }: Chosen & { turn: Turn }) {
  const from = turn.before.get(topic)?.[partition] ?? null
  const to = turn.owners.get(topic)?.[partition] ?? null
  const stays = hasStayed(turn, topic, partition, to)
  return (
    <tr class={stays ? 'same' : undefined}>
      <th scope="row">{turn.strategy}</th>
      <td class="path">{stays ? (to ?? 'nobody') : `${from ?? 'nobody'} → ${to ?? 'nobody'}`}</td>
      <td>{stays ? 'stays' : explain(turn, `${topic}-${partition}: `, from, to)}</td>
    </tr>
  )
}

/** The planner's own line on this partition; for strategies without a memory their rule, since no line says more. */
function explain({ strategy, rounds }: Turn, name: string, from: string | null, to: string | null): string {
  if (to === null) return 'nobody subscribes its topic'
  if (!hasMemory(strategy)) return words[strategy].rule
  const reasons = rounds.flatMap(({ plan }) => plan.reasons())
  const reason = reasons.find(line => line.startsWith(name))?.slice(name.length) ?? ''
  const path = [`${from} → ${to}, `, `→ ${to}, `].find(start => reason.startsWith(start)) ?? ''
  const gone = from !== null && !running(group()).some(({ id }) => id === from)
  return `${gone ? `${from} is gone: ` : ''}${reason.slice(path.length)}`
}
