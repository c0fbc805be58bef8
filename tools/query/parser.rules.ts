/** What reading a query is done with: its issues, its limits, and the fields that names in it stand for. */
import { misnamed } from '#platform/field-synonyms.ts'
import { type Finding, finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Catalog, type CatalogEntity, propertyIndex } from '#tools/entities/catalog.types.ts'
import { systemFields } from '#tools/properties/operators.types.ts'

import { systemTypes } from './field.rules.ts'
import type { Clock } from './moments.rules.ts'
import { isWithheld, type Readable, type Source } from './source.rules.ts'
import type { Field, RecordField } from './tree.types.ts'
import { unknownProperty } from './unknown-name.rules.ts'

export const maxFilterDepth = 8
export const maxFilterRules = 200
// As many as 200 rules can stand in, each at the bottom of groups of its own.
export const maxFilterGroups = maxFilterDepth * maxFilterRules

/** What a query may reach beside its own records. */
export interface Reach {
  readonly catalog: Catalog
  /** Entities whose tables were looked at, by id. */
  readonly tables: ReadonlyMap<number, Readable>
  /** Undefined: nobody has looked yet. */
  readonly clock?: Clock | undefined
}

/** What a report has beside the records that it begins with, by names in lower case. */
export interface Joined {
  /** Its sources by alias, else by name and by id of their entities. */
  readonly sources: ReadonlyMap<string, Source>
  /** In place of fields, of a filter on the result: its columns. */
  readonly outputs?: ReadonlyMap<string, Field>
}

export interface Parser extends Reach {
  readonly issues: Finding[]
  /** Entities whose tables must be looked at first: what was made of them does not hold. */
  readonly missing: Set<CatalogEntity>
  /** How much was read. */
  readonly seen: { rules: number; groups: number; sources: number; related: number; days: number; isClockMissing: boolean }
  readonly joined?: Joined | undefined
}

export function newParser(reach: Reach, joined?: Joined): Parser {
  return {
    ...reach,
    issues: [],
    missing: new Set(),
    seen: { rules: 0, groups: 0, sources: 0, related: 0, days: 0, isClockMissing: false },
    joined,
  }
}

/** Any time does to tell whether a query is sound. */
export function clockMissing(parser: Parser): Clock {
  parser.seen.isClockMissing = true
  return { nowMs: 0, timeZone: 'UTC' }
}

/** A name as it is looked up. What is no name finds nothing. */
export function lowered(said: unknown): string {
  return typeof said === 'string' || typeof said === 'number' ? String(said).toLowerCase() : ''
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The field of a name: a system field by its wire name, which means the same in every entity, else a property by internalName or id. So a property that
 * is named like a system field goes by its id.
 */
export function findField(source: Source, name: unknown): RecordField | undefined {
  if (typeof name !== 'string' && typeof name !== 'number') return undefined
  const system = systemFields.find((field) => field === name)
  if (system) return { source, system, dataType: systemTypes[system] }
  const property = propertyIndex(source.entity.properties).get(String(name).toLowerCase())
  return property && { source, property, dataType: property.dataType }
}

export function unknownField(entity: CatalogEntity, name: unknown, path: string): Finding {
  if (name === undefined) return finding(path, 'Required, the internalName or id of a property.')
  return unknownProperty(entity.internalName, name, [...entity.properties.map((property) => property.internalName), ...systemFields], path)
}

/** The field that a rule or a sort asks by. What the caller sees in no row would be told by what is found. */
export function readField(parser: Parser, source: Source, name: unknown, path: string): Field | undefined {
  const field = readShown(parser, source, name, path)
  return field && refuseWithheld(parser, field, path)
}

/** The field that is shown where it is seen, and empty elsewhere. */
export function readShown(parser: Parser, source: Source, name: unknown, path: string): Field | undefined {
  const outputs = parser.joined?.outputs
  const field = outputs ? outputs.get(lowered(name)) : findField(source, name)
  if (field) return field
  return void parser.issues.push(outputs ? unknownOutput(outputs, name, path) : unknownHere(parser, source, name, path))
}

/** The field, unless the caller sees it in no row. */
export function refuseWithheld<F extends Field>(parser: Parser, field: F, path: string): F | undefined {
  if (!('property' in field) || !isWithheld(field.source, field.property)) return field
  return say(parser, path, `${field.property.internalName} is withheld from you: leave it out of filters, sorts and aggregates.`)
}

/** Says too where else among joined records there is such a property. */
function unknownHere(parser: Parser, source: Source, name: unknown, path: string): Finding {
  const unknown = unknownField(source.entity, name, path)
  if (unknown.suggestion !== undefined || typeof name !== 'string' || parser.issues.length >= maxIssues) return unknown
  const entities = new Set([...(parser.joined?.sources.values() ?? [])].map(({ entity }) => entity))
  entities.delete(source.entity)
  for (const { internalName, properties } of entities) {
    const suggestion = nearest(
      name,
      properties.map((property) => property.internalName),
    )
    if (suggestion !== undefined)
      return { ...unknown, message: `${unknown.message} ${internalName} has ${suggestion}: say its entity beside it.`, suggestion }
  }
  return unknown
}

/** A column of a result that is none. */
export function unknownOutput(outputs: ReadonlyMap<string, Field>, name: unknown, path: string): Finding {
  const names = [...outputs.values()].flatMap((one) => ('output' in one ? one.name : []))
  const suggestion = typeof name === 'string' ? nearest(name, names) : undefined
  return finding(path, `The result has no ${quoted(name)}. It has ${names.slice(0, 20).join(', ')}.`, { suggestion })
}

export function say(parser: Parser, path: string, message: string, suggestion?: string): undefined {
  parser.issues.push(finding(path, message, { suggestion }))
  return undefined
}

/** Whether there was any: what else is missing may stand under that name. */
export function refuseOtherKeys(parser: Parser, raw: Record<string, unknown>, allowed: readonly string[], path: string): boolean {
  const before = parser.issues.length
  for (const key of Object.keys(raw)) {
    if (parser.issues.length >= maxIssues) break
    if (allowed.includes(key)) continue
    const { said, suggestion } = misnamed(quoted(key), key, allowed)
    say(parser, `${path}.${key}`, `${said} Allowed: ${allowed.join(', ')}.`, suggestion)
  }
  return parser.issues.length > before
}

export function each<T>(list: readonly unknown[], path: string, parse: (element: unknown, at: string) => T | undefined): T[] {
  return list.flatMap((element, index) => parse(element, `${path}[${index}]`) ?? [])
}

/** One of a few words, or the first of them where nothing is said; undefined where something else is. */
export function wordOf<T extends string>(parser: Parser, said: unknown, words: readonly [T, ...T[]], path: string): T | undefined {
  const word = said === undefined ? words[0] : words.find((one) => one === said)
  if (word !== undefined) return word
  const suggestion = typeof said === 'string' ? nearest(said, words) : undefined
  return say(parser, path, `Expected ${words.slice(0, -1).join(', ')} or ${words.at(-1)}, got ${quoted(said)}.`, suggestion)
}

/** Whether one rule more may stand in the filter. A group on related records counts as one, since it asks about them even when it is empty. */
export function isRuleTooMany(parser: Parser, path: string): boolean {
  if (++parser.seen.rules <= maxFilterRules) return false
  if (parser.seen.rules === maxFilterRules + 1) say(parser, path, `At most ${maxFilterRules} rules in a filter.`)
  return true
}
