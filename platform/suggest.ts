/** The nearest known name to a mistyped one, for issues and errors. */
import { distance } from 'fastest-levenshtein'

/** The candidate within two fifths of the name's length in edits (at least one, at most three), without regard to case; else undefined. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  const limit = Math.min(3, Math.max(1, Math.floor(name.length / 2.5)))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of candidates) {
    const edits = distance(wanted, candidate.toLowerCase())
    if (edits < bestDistance) {
      best = candidate
      bestDistance = edits
    }
  }
  return best
}

/** A caller's own text, cut so that it can stand in a sentence. */
export function quoted(text: unknown, limit = 80): string {
  const whole = typeof text === 'string' ? text : (JSON.stringify(text) ?? String(text))
  const plain = whole.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  return `"${plain.length > limit ? `${plain.slice(0, limit)}…` : plain}"`
}
