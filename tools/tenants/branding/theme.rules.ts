/** What a theme may set: a closed list of variables, each of one kind, and colours that text can be read in. */
import { contrast, hex, leastContrast, nearestReadable, pageGrounds, readColour } from '#platform/colours.ts'
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import type { Theme } from '../tenants.schema.ts'

type Read = { readonly value: string } | { readonly message: string; readonly suggestion?: string | undefined }

const fonts = ['sans', 'serif', 'rounded', 'mono']
const shadows = ['none', 'soft', 'strong']

function oneOf(words: readonly string[]) {
  return (text: string): Read => {
    const word = text.toLowerCase()
    return words.includes(word) ? { value: word } : { message: `It is one of ${words.join(', ')}.`, suggestion: nearest(word, words) }
  }
}

/** A number alone is in px. */
function length(leastPx: number, mostPx: number) {
  return (text: string): Read => {
    const [, number, unit = 'px'] = /^(\d{1,2}(?:\.\d{1,3})?)(px|rem)?$/.exec(text) ?? []
    const px = Number(number) * (unit === 'rem' ? 16 : 1)
    if (px >= leastPx && px <= mostPx) return { value: `${number}${unit}` }
    return { message: `It is a length from ${leastPx}px to ${mostPx}px, in px or rem.` }
  }
}

const grounds = pageGrounds.light.map(readColour).filter((one) => one !== undefined)

/** Text and signs are painted in it on what pages are made of. For dark pages it is made lighter, as far as it needs. */
function colour(text: string): Read {
  const read = readColour(text)
  if (!read) return { message: 'It is a colour such as #17624a or rgb(23, 98, 74).' }
  if (grounds.every((ground) => contrast(read, ground) >= leastContrast)) return { value: text }
  const better = nearestReadable(read, grounds)
  const suggestion = better && hex(better)
  return { message: `Text in ${text} is hard to read: it needs a contrast of 4.5:1. ${suggestion ?? 'A darker one'} has it.`, suggestion }
}

const variables: Readonly<Record<string, (text: string) => Read>> = {
  '--theme-primary': colour,
  '--theme-accent': colour,
  '--theme-font': oneOf(fonts),
  '--theme-gap': length(8, 32),
  '--theme-radius': length(0, 24),
  '--theme-shadow': oneOf(shadows),
}

function asRecord(given: unknown): Record<string, unknown> | undefined {
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Record<string, unknown>) : undefined
}

function parsed(given: string | Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  try {
    return asRecord(typeof given === 'string' ? (JSON.parse(given) as unknown) : given)
  } catch {
    return undefined
  }
}

const issuesAtMost = 50

/** A theme as JSON text or object, which stands at `path`: its variables, or what is wrong with it. */
export function readTheme(
  given: string | Readonly<Record<string, unknown>>,
  path: string,
): { readonly theme: Theme; readonly issues: readonly Issue[] } {
  const record = parsed(given)
  if (!record)
    return { theme: {}, issues: [finding(path, 'A JSON object of theme variables is needed, such as {"--theme-primary": "#17624a"}.')] }
  const theme: Record<string, string> = {}
  const issues: Issue[] = []
  const names = Object.keys(variables)
  for (const [name, value] of Object.entries(record)) {
    if (issues.length >= issuesAtMost) break
    const place = `${path}.${name.slice(0, 80)}`
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (!variable) {
      const message = `${quoted(name)} is no theme variable. There are ${names.join(', ')}.`
      issues.push(finding(place, message, { suggestion: nearest(name, names) }))
    } else if ((typeof value !== 'string' && typeof value !== 'number') || String(value).length > 100) {
      issues.push(finding(place, 'The value is a text of at most 100 characters, or a number.'))
    } else {
      const read = variable(String(value).trim())
      if ('value' in read) theme[name] = read.value
      else issues.push(finding(place, read.message, { suggestion: read.suggestion }))
    }
  }
  return { theme, issues }
}
