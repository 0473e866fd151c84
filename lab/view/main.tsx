import { render } from 'preact'
import { App } from './app'
import { glideFrom, places } from './flip'
import { followKeys } from './keys'
import { keepTabStops } from './roving'
import { keepStepInSight } from './scores'
import { onChange } from './signals'
import { followAddress } from './state'
import './styles.css'

function draw(): void {
  const before = places()
  render(<App />, document.body)
  glideFrom(before)
  keepTabStops()
  keepStepInSight()
}

onChange(draw)
followAddress()
followKeys()
draw()
