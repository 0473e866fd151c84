import { encode } from '../model/address'
import { asTable } from '../model/copy'
import { presets } from '../model/presets'
import { CopyButton } from './copy-button'
import { history, load, place, preset } from './state'

export function Header() {
  const link = () => `${location.href.replace(/#.*$/, '')}#${encode(place.value)}`
  return (
    <header>
      <div class="title">
        <h1>Rebalance lab</h1>
        <p>One consumer group, one history, five ways to hand out its partitions</p>
      </div>
      <div class="tools">
        <label>
          <span class="label">Scenario</span>
          <select
            data-testid="preset"
            value={place.value.preset ?? ''}
            onChange={event => load(event.currentTarget.value)}
          >
            {!preset() && <option value="">Your own</option>}
            {presets.map(({ key, title }) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <CopyButton id="copy-link" label="Copy link" text={link} />
        <CopyButton
          id="copy-table"
          label="Copy table"
          text={() => asTable(place.value.scenario, history.value, place.value.step)}
        />
      </div>
      <p class="about">
        {preset()?.about ?? 'A scenario of your own. Its address holds all of it: copy the link to share it.'}
      </p>
    </header>
  )
}
