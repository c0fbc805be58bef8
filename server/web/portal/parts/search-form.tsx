import { useState } from 'preact/hooks'

import { texts } from '../texts/index.ts'
import { Line } from './basics.tsx'

/** What is searched for, once it is sent. */
export function SearchForm({ label, onSearch }: { label: string; onSearch: (query: string) => void }) {
  const [typed, setTyped] = useState('')
  return (
    <form
      class="bar-of-list"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(typed.trim())
      }}
    >
      <Line label={label} type="search" value={typed} onValue={setTyped} maxLength={500} />
      <button>{texts.search}</button>
    </form>
  )
}
