/** An index of words, and how near a query comes to each text. */
import MiniSearch from 'minisearch'

import { termOf, wordsOf } from './words.rules.ts'

export interface Wording {
  readonly heading: string
  readonly text: string
  /** What people say when they mean it. */
  readonly asked: string
}

export interface WordIndex {
  /** Places in the list with a score from 0 to 1, the best first. */
  find(query: string): ReadonlyMap<number, number>
}

// What a person writes is shorter; each further word costs a look through the whole index for words like it.
const mostTerms = 40
const longestTerm = 40
// Between two of them the event loop turns.
const indexedAtOnce = 10

/** An index of the words of a list. */
export async function indexWords(list: readonly Wording[]): Promise<WordIndex> {
  const index = new MiniSearch<{ id: number } & Wording>({
    fields: ['heading', 'text', 'asked'],
    tokenize: wordsOf,
    processTerm: termOf,
    searchOptions: {
      boost: { asked: 2 },
      tokenize: (query) => [...new Set(wordsOf(query))].slice(0, mostTerms).map((word) => word.slice(0, longestTerm)),
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    },
  })
  await index.addAllAsync(
    list.map((wording, id) => ({ ...wording, id })),
    { chunkSize: indexedAtOnce },
  )
  return {
    find(query) {
      const found = index.search(query)
      const best = found[0]?.score ?? 1
      return new Map(found.map(({ id, score }) => [Number(id), score / best]))
    },
  }
}
