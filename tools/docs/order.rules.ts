/** What moves a section up or down beside what it says. */
import type { Place } from './sections.rules.ts'

// A guide answers, a decision says why, and a reference lists: where all three speak of a thing, the guide is wanted.
const worths = [
  ['guides/', 0],
  ['decisions/', -0.1],
  ['reference/', -0.2],
] as const

/** Added to the score of every section of a page. */
export function worthOf(path: string): number {
  return worths.find(([folder]) => path.startsWith(folder))?.[1] ?? 0
}

// A query that is a list of names asks for none of them.
const mostNames = 5

/** How much each place gains for holding a name of the query: most for being about it, less the more places hold it. */
export function nameGains(places: readonly Place[], names: readonly string[]): Map<number, number> {
  const gains = new Map<number, number>()
  const add = (id: number, gain: number) => gains.set(id, (gains.get(id) ?? 0) + gain)
  for (const name of names.slice(0, mostNames)) {
    const lower = name.toLowerCase()
    const whole = new RegExp(`(?<![a-z0-9_])${lower}(?![a-z0-9_])`)
    const holding = [...places.entries()].filter(([, { lowerCase }]) => lowerCase.includes(lower) && whole.test(lowerCase))
    const share = holding.length <= 5 ? 0.3 : holding.length <= 20 ? 0.15 : 0.05
    for (const [id, { section }] of holding) add(id, section.title.toLowerCase() === lower ? 1 : share)
  }
  return gains
}
