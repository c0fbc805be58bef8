import { useState } from 'preact/hooks'

import { texts } from '../texts/index.ts'
import { Line } from './basics.tsx'

export interface Search {
  readonly query: string
  /** Of this search alone: the same words, sent once more, are asked anew. */
  readonly key: string
  readonly send: (query: string) => void
}

/** What was searched for last. */
export function useSearch(first = ''): Search {
  const [{ query, count }, setSent] = useState({ query: first, count: 0 })
  return {
    query,
    key: `${count} ${query}`,
    send: (words) => setSent((before) => ({ query: words.trim(), count: before.count + 1 })),
  }
}

/** What is searched for, once it is sent. */
export function SearchForm({ label, search }: { label: string; search: Search }) {
  const [typed, setTyped] = useState(search.query)
  return (
    <form
      class="bar-of-list"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        search.send(typed)
      }}
    >
      <Line label={label} type="search" value={typed} onValue={setTyped} maxLength={500} />
      <button>{texts.search}</button>
    </form>
  )
}
