import { render } from 'preact'
import { glideFrom, places } from '../flip'
import { keepTabStops } from '../roving'
import { onChange } from '../signals'
import { LivePage } from './page'
import { watch } from './state'
import '../styles.css'
import './live.css'

function draw(): void {
  const before = places()
  render(<LivePage />, document.body)
  glideFrom(before)
  keepTabStops()
}

onChange(draw)
watch()
draw()
