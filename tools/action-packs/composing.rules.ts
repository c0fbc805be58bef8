/** A manifest with the settings of an install put in their places, as the definition that its runs follow. */
import { AppError } from '#platform/errors.ts'
import { pathText } from '#platform/issues.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'
import { maxBodyCharacters } from '#tools/definitions/definitions.schema.ts'

import type { Values } from './settings.rules.ts'

type Place = readonly (string | number)[]

const exact = /^\[\[\s*\$settings\.([A-Za-z][A-Za-z0-9_]{0,63})\s*\]\]$/

/** The setting for which a text stands, where it is nothing else. Texts that hold more are resolved when a run comes to them. */
export function settingIn(value: unknown): string | undefined {
  return typeof value === 'string' ? exact.exec(value)?.[1] : undefined
}

const absent = Symbol('absent')

export interface Composed<T> {
  readonly value: T
  /** Which setting stands at which place: paths as findings tell them. */
  readonly places: ReadonlyMap<string, string>
}

/**
 * Whatever is exactly one token of a setting becomes its value, as a name of a field too; what has none is left out. Of sensitive settings the token stays:
 * runs hold its mark. Throws AppError `too_large` once the values that were put in are longer than a definition may be.
 */
export function compose<T>(said: T, values: Values, isSensitive: (name: string) => boolean, at: Place = []): Composed<T> {
  const places = new Map<string, string>()
  const lengths = new Map<string, number>()
  let left = maxBodyCharacters
  // One value may stand in thousands of places: counted as it is put in, since the whole may be longer than memory.
  const put = (name: string): unknown => {
    const value = values[name]
    const length = lengths.get(name) ?? JSON.stringify(value ?? null).length
    lengths.set(name, length)
    left -= length
    if (left < 0)
      throw new AppError(
        'too_large',
        `With its settings in their places the pack is longer than the ${maxBodyCharacters} characters of a definition. Send shorter settings.`,
      )
    return value
  }
  const filled = (value: unknown, place: Place): unknown => {
    const name = settingIn(value)
    if (name !== undefined) {
      if (isSensitive(name)) return value
      places.set(pathText(place), name)
      return put(name) ?? absent
    }
    if (Array.isArray(value)) {
      const list: unknown[] = []
      for (const one of value) {
        const element = filled(one, [...place, list.length])
        if (element !== absent) list.push(element)
      }
      return list
    }
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
        const named = settingIn(key)
        const filledKey = named === undefined ? key : put(named)
        if (filledKey === undefined || filledKey === null) return []
        const field = typeof filledKey === 'string' ? filledKey : JSON.stringify(filledKey)
        if (named !== undefined) places.set(pathText([...place, field]), named)
        const element = filled(one, [...place, field])
        return element === absent ? [] : [[field, element]]
      }),
    )
  }
  // The form stays, but for what is left out.
  return { value: filled(said, at) as T, places }
}

/** Where a manifest says nothing yet, since a setting will: findings there are for who installs it. */
export function placesOfSettings(said: unknown, at: Place): ReadonlySet<string> {
  const places = new Set<string>()
  const visit = (value: unknown, place: Place): void => {
    if (typeof value === 'string') {
      if (value.includes('$settings.')) places.add(pathText(place))
      return
    }
    if (typeof value !== 'object' || value === null) return
    for (const [key, one] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(key) : key
      if (settingIn(key) !== undefined) places.add(pathText([...place, step]))
      visit(one, [...place, step])
    }
  }
  visit(said, at)
  return places
}

// In a token, or as the path of a rule.
const named = /(?:\[\[\s*|^)\$settings\.([A-Za-z][A-Za-z0-9_]{0,63})/g
const unknownAtMost = 50

/** Settings that are taken and not declared: at install nothing would stand in their places. */
export function findUnknownSettings(manifest: object, declared: readonly string[]): Finding[] {
  const findings: Finding[] = []
  const known = new Set(declared)
  const look = (text: string, place: Place): void => {
    for (const [, name = ''] of text.matchAll(named))
      if (!known.has(name) && findings.length < unknownAtMost)
        findings.push(
          finding(pathText(place), `The pack declares no setting ${quoted(name)}. It has ${declared.join(', ') || 'none'}.`, {
            suggestion: nearest(name, declared),
          }),
        )
  }
  const visit = (value: unknown, place: Place): void => {
    if (typeof value === 'string') return look(value, place)
    if (typeof value !== 'object' || value === null) return
    for (const [key, one] of Object.entries(value)) {
      const inner = [...place, Array.isArray(value) ? Number(key) : key]
      look(key, inner)
      visit(one, inner)
    }
  }
  visit(manifest, [])
  return findings
}

/** Whether a path stands at one of the places, or below. */
export function isUnder(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`)
}

/** Of a path this much is compared: keys are as long as a caller writes them. */
const comparedCharacters = 400

/** A path, and all that it stands below. */
function* upwards(path: string): Generator<string> {
  const compared = path.slice(0, comparedCharacters)
  yield compared
  for (const { index } of compared.matchAll(/[.[]/g)) yield compared.slice(0, index)
}

/** Places to ask of many paths whether they stand at one of them, below one, or above. */
export interface Places {
  covers(path: string): boolean
  liesUnder(path: string): boolean
}

/** Pauses between places. */
export function* gathered(places: Iterable<string>): Generator<void, Places> {
  const [own, above] = [new Set<string>(), new Set<string>()]
  for (const place of places) {
    own.add(place.slice(0, comparedCharacters))
    for (const one of upwards(place)) above.add(one)
    yield
  }
  return {
    covers: (path) => [...upwards(path)].some((one) => own.has(one)),
    liesUnder: (path) => above.has(path.slice(0, comparedCharacters)),
  }
}
