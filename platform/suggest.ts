/** The nearest known name to a mistyped one, for issues and errors. */
import { distance } from 'fastest-levenshtein'

const comparisonsAtOnce = 2_000_000
let compared = 0

/**
 * Whether so much was compared already that others must get their turn first. A body may hold a hundred thousand wrong names, each with thousands of
 * candidates: it is refused without a suggestion as well, and nobody waits for it.
 */
function isSpent(): boolean {
  if (compared === 0) setImmediate(() => (compared = 0))
  return compared > comparisonsAtOnce
}

/**
 * The candidate within two fifths of the name's length in edits (at least one, at most three), without regard to case; else the nearest of those that
 * hold a name of three letters or more as a part, as internalName holds name; else undefined, as for the last of very many names that come at once.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (isSpent()) return undefined
  const wanted = name.toLowerCase()
  const limit = Math.min(3, Math.max(1, Math.floor(name.length / 2.5)))
  let best: string | undefined
  let bestDistance = limit + 1
  let whole: string | undefined
  for (const candidate of candidates) {
    compared++
    // What differs more than that in length alone is no near name, and comparing it would cost the product of both lengths.
    const isNear = Math.abs(candidate.length - wanted.length) <= limit
    const edits = isNear ? editsBetween(wanted, candidate.toLowerCase()) : Infinity
    if (edits < bestDistance) {
      best = candidate
      bestDistance = edits
    }
    const isPart = wanted.length >= 3 && candidate.toLowerCase().includes(wanted)
    if (isPart && (whole === undefined || candidate.length < whole.length)) whole = candidate
  }
  return best ?? whole
}

/** The language code that was meant: a misspelled one, or another region of the same tongue where the code names none of ours. */
export function nearestLanguage(code: string, codes: readonly string[]): string | undefined {
  const tongue = `${code.toLowerCase().slice(0, 2)}-`
  return nearest(code, codes) ?? codes.find((known) => known.toLowerCase().startsWith(tongue))
}

/** "an entity", "a property". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

/** Two neighbouring letters in the wrong order are one mistake, and the commonest. */
function editsBetween(one: string, other: string): number {
  const edits = distance(one, other)
  const isSwap = edits === 2 && one.length === other.length && Array.from(one).sort().join('') === Array.from(other).sort().join('')
  return isSwap ? 1 : edits
}

/** A caller's own value, cut so that it can stand in a sentence. Only text stands in quotes: whoever sent 5 must not read that they sent "5". */
export function quoted(value: unknown, limit = 80): string {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const plain = whole.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  const shown = plain.length > limit ? `${plain.slice(0, limit)}…` : plain
  return typeof value === 'string' ? `"${shown}"` : shown
}
