/** The nearest known name to a mistyped one, for issues and errors. */
import { distance } from 'fastest-levenshtein'

/** No name of ours is longer, and neither is what comes near one. */
const maxNameLength = 200

// About 15 ms of comparing; a comparison of two names of like length takes some of these steps, any other candidate one.
const stepsAtOnce = 200_000
let steps = 0

/**
 * Whether so much was compared already that others must get their turn first. A body may hold a hundred thousand wrong names, each with thousands of
 * candidates: it is refused without a suggestion as well, and nobody waits for it.
 */
function isSpent(): boolean {
  if (steps === 0) setImmediate(() => (steps = 0))
  return steps > stepsAtOnce
}

/**
 * The candidate within two fifths of the name's length in edits (at least one, at most three), without regard to case; else the nearest of those that
 * hold a name of three letters or more as a part, as internalName holds name; else undefined, as for a name of more than 200 characters, and for the last
 * of very many names that come at once.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxNameLength) return undefined
  const wanted = name.toLowerCase()
  const limit = Math.min(3, Math.max(1, Math.floor(name.length / 2.5)))
  let best: string | undefined
  let bestDistance = limit + 1
  let whole: string | undefined
  for (const candidate of candidates) {
    if (isSpent()) break
    steps++
    if (candidate.length > maxNameLength) continue
    const known = candidate.toLowerCase()
    // What differs more than that in length alone is no near name, and comparing it would cost the product of both lengths.
    if (Math.abs(candidate.length - wanted.length) <= limit) {
      steps += 4 * Math.ceil(wanted.length / 32) ** 2
      const edits = editsBetween(wanted, known)
      if (edits < bestDistance) {
        best = candidate
        bestDistance = edits
      }
    }
    const isPart = wanted.length >= 3 && known.includes(wanted)
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

/** The JSON of a value until it is longer than `limit`: what stands at the place of a finding may be the whole body. */
function beginningOf(value: unknown, limit: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, limit + 1))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  const isList = Array.isArray(value)
  let text = isList ? '[' : '{'
  // Not by the names of a list, which would be made first, all of them.
  for (const [key, part] of isList ? value.entries() : Object.entries(value)) {
    if (text.length > limit) return text
    if (text.length > 1) text += ','
    if (typeof key === 'string') text += `${JSON.stringify(key.slice(0, limit + 1))}:`
    text += beginningOf(part, limit)
  }
  return `${text}${isList ? ']' : '}'}`
}

/** A caller's own value, cut so that it can stand in a sentence. Only text stands in quotes: whoever sent 5 must not read that they sent "5". */
export function quoted(value: unknown, limit = 80): string {
  const whole = typeof value === 'string' ? value.slice(0, 2 * limit + 2) : beginningOf(value, limit)
  const plain = whole.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  const shown = plain.length > limit ? `${plain.slice(0, limit)}…` : plain
  return typeof value === 'string' ? `"${shown}"` : shown
}
