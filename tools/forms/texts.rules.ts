/** Texts of a layout in somebody's language. */
import type { Text } from './layout.schema.ts'

/** The text in the first of these languages that it has, in another region of the same tongue where it has no better; else in its first. */
export function textIn(text: Text | undefined, languageCodes: readonly string[]): string | undefined {
  if (text === undefined || typeof text === 'string') return text
  const entries = Object.entries(text).map(([code, said]) => [code.toLowerCase(), said] as const)
  const tongueOf = (code: string) => code.split('-', 1)[0]
  for (const wanted of languageCodes.map((code) => code.toLowerCase())) {
    const found = entries.find(([code]) => code === wanted) ?? entries.find(([code]) => tongueOf(code) === tongueOf(wanted))
    if (found) return found[1]
  }
  return entries[0]?.[1]
}
