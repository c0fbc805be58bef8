/** Search by words: what counts as one, and which of a query are names that must be met exactly. */
import MiniSearch from 'minisearch'

import type { Passage } from './passages.rules.ts'

const small = new Set(
  `a about an and any are as at be been but by can could did do does for from get gets got had has have how i if in into is it its me my no not of on one or our out
  should so some than that the their them then there these they this those to too up us was we what when where which who whom why will with would you your`.split(
    /\s+/,
  ),
)

/** Endings that English puts on a word; what is left is the same for most forms of it. */
function stem(word: string): string {
  if (word.length < 5 || /\d|_/.test(word)) return word
  return word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=[^aeiou]{1,2}|[aeiou][a-z])(?:ings?|ed|es|s|ly)$/, '')
    .replace(/e$/, '')
}

/** The words of a text; a name such as `send_message` or `rowHash` counts as itself and as its parts. */
export function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((token) => {
    const parts = token.split(/_+|(?<=[a-z])(?=[A-Z])/).filter(Boolean)
    return parts.length > 1 ? [token, ...parts] : [token]
  })
}

/** A word as it is indexed and looked up; null for those that say nothing. */
export function termOf(word: string): string | null {
  const lower = word.toLowerCase()
  return small.has(lower) || (lower.length < 2 && !/\d/.test(lower)) ? null : stem(lower)
}

/** The names in a query: `send_message`, `eiRecordId`, `DATABASE_URL`, `409`. */
export function namesIn(query: string): string[] {
  const found = query.match(/[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+|[a-z]+[A-Z][A-Za-z0-9]*|\b\d{3,}\b/g) ?? []
  return [...new Set(found)]
}

export interface WordIndex {
  /** Passage numbers with a score from 0 to 1, the best first. */
  find(query: string): Map<number, number>
}

/** An index of the words of all passages. */
export function indexWords(passages: readonly Passage[]): WordIndex {
  const index = new MiniSearch<{ id: number; heading: string; text: string }>({
    fields: ['heading', 'text'],
    tokenize: wordsOf,
    processTerm: termOf,
    searchOptions: { boost: { heading: 2 }, prefix: (term) => term.length > 3, fuzzy: (term) => (term.length > 5 ? 0.2 : false) },
  })
  index.addAll(passages.map(({ heading, text }, id) => ({ id, heading, text })))
  return {
    find(query) {
      const found = index.search(query)
      const best = found[0]?.score ?? 1
      return new Map(found.map(({ id, score }) => [Number(id), score / best]))
    },
  }
}

/** How much each passage gains for holding a name of the query: most for being about it, less the more passages hold it. */
export function nameGains(passages: readonly Passage[], names: readonly string[]): Map<number, number> {
  const gains = new Map<number, number>()
  const add = (id: number, gain: number) => gains.set(id, (gains.get(id) ?? 0) + gain)
  for (const name of names) {
    const whole = new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`, 'i')
    const holding = [...passages.entries()].filter(([, { section }]) => whole.test(section.own))
    const share = holding.length <= 5 ? 0.3 : holding.length <= 20 ? 0.15 : 0.05
    for (const [id, { section }] of holding) add(id, section.title.toLowerCase() === name.toLowerCase() ? 1 : share)
  }
  return gains
}
