/** One partition under every strategy, on a sheet at the foot of the page. */

import type { Strategy } from '../../src/planner/types'
import { running } from '../../src/scenario/simulate'
import { type Chosen, chosen, group, place, strategies, turnOf } from './state'
import { words } from './strategy-words'

export function Details() {
  if (!chosen.value) return null
  const { topic, partition } = chosen.value
  const name = `${topic}-${partition}`
  return (
    <aside class="details" aria-label={`Partition ${name}`} data-testid="details">
      <h2>
        {name} <small>at step {place.value.step}</small>
        <button type="button" class="quiet" aria-label="Close" onClick={() => (chosen.value = undefined)}>
          ×
        </button>
      </h2>
      <table>
        <tbody>
          {strategies.map(strategy => {
            const { from, to } = pathOf(strategy, chosen.value!)
            return (
              <tr key={strategy} class={from === to ? 'same' : undefined}>
                <th scope="row">{strategy}</th>
                <td class="path">{from === to ? (to ?? 'nobody') : `${from ?? 'nobody'} → ${to ?? 'nobody'}`}</td>
                <td>{from === to ? 'stays' : explain(strategy, chosen.value!)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </aside>
  )
}

function pathOf(strategy: Strategy, { topic, partition }: Chosen) {
  const { before, owners } = turnOf(strategy)
  return { from: before.get(topic)?.[partition] ?? null, to: owners.get(topic)?.[partition] ?? null }
}

/** The planner's own line on this partition; for strategies without a memory their rule, since no line says more. */
function explain(strategy: Strategy, chosen: Chosen): string {
  const { from, to } = pathOf(strategy, chosen)
  if (to === null) return 'nobody subscribes its topic'
  if (strategy === 'range' || strategy === 'roundrobin') return words[strategy].rule
  const name = `${chosen.topic}-${chosen.partition}: `
  const reasons = turnOf(strategy).rounds.flatMap(({ plan }) => plan.reasons())
  const reason = reasons.find(line => line.startsWith(name))?.slice(name.length) ?? ''
  const path = [`${from} → ${to}, `, `→ ${to}, `].find(start => reason.startsWith(start)) ?? ''
  const gone = from !== null && !running(group()).some(({ id }) => id === from)
  return `${gone ? `${from} is gone: ` : ''}${reason.slice(path.length)}`
}
