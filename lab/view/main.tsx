import { render } from 'preact'
import { App } from './app'
import { followAddress } from './state'
import './styles.css'

followAddress()
render(<App />, document.body)
