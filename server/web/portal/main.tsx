/** The application for signed-in people: its frame, its rooms, and who looks at them. */
import { render } from 'preact'

import '../tokens.css'
import '../base.css'
import './app.css'
import { App } from './app.tsx'

const host = document.querySelector('#app')
if (host) {
  host.replaceChildren()
  render(<App />, host)
}
