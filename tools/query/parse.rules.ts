/** Filters and sorts: from what a caller sends to one query tree in the field's terms, checked against the catalog. */
import { misnamed } from '#platform/field-synonyms.ts'
import { type Finding, finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Catalog, type CatalogEntity, propertyIndex } from '#tools/entities/catalog.schema.ts'
import { operatorsOf, systemFields } from '#tools/properties/operators.schema.ts'

import { systemTypes } from './field.rules.ts'
import type { Clock } from './moments.rules.ts'
import { oppositeOf } from './opposite.rules.ts'
import { links, relatedTo, waysBetween } from './relations.rules.ts'
import { isWithheld, openSource, type Readable, type Source } from './source.rules.ts'
import type { Comparison, Field, GroupNode, QueryNode, RelatedNode, SortKey } from './tree.types.ts'
import { unknownEntity, unknownProperty } from './unknown-name.rules.ts'
import { maxDays, readComparison } from './values.rules.ts'

export const maxFilterDepth = 8
export const maxFilterRules = 200
// As many as 200 rules can stand in, each at the bottom of groups of its own.
const maxFilterGroups = maxFilterDepth * maxFilterRules

/** What a query may reach beside its own records. */
export interface Reach {
  readonly catalog: Catalog
  /** Entities whose tables were looked at, by id. */
  readonly tables: ReadonlyMap<number, Readable>
  /** Undefined: nobody has looked yet. */
  readonly clock?: Clock | undefined
}

interface Parser extends Reach {
  readonly issues: Finding[]
  /** Entities whose tables must be looked at first: what was made of them does not hold. */
  readonly missing: Set<CatalogEntity>
  rules: number
  groups: number
  sources: number
  related: number
  days: number
  isClockMissing: boolean
}

/** Any time does to tell whether a query is sound. */
function clockMissing(parser: Parser): Clock {
  parser.isClockMissing = true
  return { nowMs: 0, timeZone: 'UTC' }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The field of a name: a system field by its wire name, which means the same in every entity, else a property by internalName or id. So a property that
 * is named like a system field goes by its id.
 */
export function findField(source: Source, name: unknown): Field | undefined {
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
function readField(parser: Parser, source: Source, name: unknown, path: string): Field | undefined {
  const field = findField(source, name)
  if (!field) return void parser.issues.push(unknownField(source.entity, name, path))
  if (!('property' in field) || !isWithheld(source, field.property)) return field
  return say(parser, path, `${field.property.internalName} is withheld from you: leave it out of filters, sorts and aggregates.`)
}

function say(parser: Parser, path: string, message: string, suggestion?: string): undefined {
  parser.issues.push(finding(path, message, { suggestion }))
  return undefined
}

/** Whether there was any: what else is missing may stand under that name. */
function refuseOtherKeys(parser: Parser, raw: Record<string, unknown>, allowed: readonly string[], path: string): boolean {
  const before = parser.issues.length
  for (const key of Object.keys(raw)) {
    if (parser.issues.length >= maxIssues) break
    if (allowed.includes(key)) continue
    const { said, suggestion } = misnamed(quoted(key), key, allowed)
    say(parser, `${path}.${key}`, `${said} Allowed: ${allowed.join(', ')}.`, suggestion)
  }
  return parser.issues.length > before
}

function each<T>(list: readonly unknown[], path: string, parse: (element: unknown, at: string) => T | undefined): T[] {
  return list.flatMap((element, index) => parse(element, `${path}[${index}]`) ?? [])
}

/** One of a few words, or the first of them where nothing is said; undefined where something else is. */
function wordOf<T extends string>(parser: Parser, said: unknown, words: readonly [T, ...T[]], path: string): T | undefined {
  const word = said === undefined ? words[0] : words.find((one) => one === said)
  if (word !== undefined) return word
  const suggestion = typeof said === 'string' ? nearest(said, words) : undefined
  return say(parser, path, `Expected ${words.slice(0, -1).join(', ')} or ${words.at(-1)}, got ${quoted(said)}.`, suggestion)
}

/** Whether one rule more may stand in the filter. A group on related records counts as one, since it asks about them even when it is empty. */
function isRuleTooMany(parser: Parser, path: string): boolean {
  if (++parser.rules <= maxFilterRules) return false
  if (parser.rules === maxFilterRules + 1) say(parser, path, `At most ${maxFilterRules} rules in a filter.`)
  return true
}

/** Whether what a rule, group or sort says of its entity, if anything, is the entity of its records. */
function isOwn({ internalName, entityId }: CatalogEntity, said: unknown): boolean {
  const text = typeof said === 'string' ? said.toLowerCase() : JSON.stringify(said)
  return said === undefined || [internalName.toLowerCase(), String(entityId)].includes(text)
}

/** The records of another entity that `from` leads to, as a source of their own. */
function findRelated(
  parser: Parser,
  from: Source,
  said: unknown,
  via: unknown,
  path: string,
): Omit<RelatedNode, 'has' | 'node'> | undefined {
  const { catalog } = parser
  const name = from.entity.internalName
  const to = typeof said === 'string' || typeof said === 'number' ? catalog.byIdOrName.get(String(said).toLowerCase()) : undefined
  const related = relatedTo(catalog, from.entity)
  if (!to) {
    const known = [...related.keys(), ...catalog.entities.map((entity) => entity.internalName)]
    parser.issues.push(unknownEntity(said, known, `${path}.entity`))
    return undefined
  }
  const ways = waysBetween(catalog, from.entity, to)
  const reached = links.filter((link) => ways.some((way) => way.link === link))
  if (reached.length === 0) {
    const shown = [...related].slice(0, 10).map(([entity, link]) => `${entity} (${link})`)
    const close = shown.length === 0 ? 'It has no related entities.' : `Related to it: ${shown.join(', ')}.`
    return say(parser, `${path}.entity`, `${to.internalName} is not related to ${name}. ${close}`)
  }
  const link = via === undefined ? reached[0] : reached.find((one) => one === via)
  if (link === undefined)
    return say(parser, `${path}.via`, `${to.internalName} is reached from ${name} by ${reached.join(', ')}, not ${quoted(via)}.`)
  if (via === undefined && reached.length > 1) {
    const example = `{"entity": "${to.internalName}", "via": "${link}", "rules": []}`
    return say(
      parser,
      `${path}.entity`,
      `${to.internalName} is reached from ${name} by ${reached.join(' and ')}: say which in a group, ${example}.`,
    )
  }
  return {
    kind: 'related',
    nth: ++parser.related,
    from,
    source: open(parser, to, from),
    ways: ways.filter((way) => way.link === link).map(({ through }) => ({ link, through: through.map((one) => open(parser, one, from)) })),
  }
}

/** Related records are those that live, at the time that the others are read as of. */
function open(parser: Parser, entity: CatalogEntity, { asOf }: Source): Source {
  const readable = parser.tables.get(entity.entityId)
  if (!readable) parser.missing.add(entity)
  const { catalog } = parser
  return openSource(readable ?? { catalog, entity, present: new Set(), sight: undefined }, { alias: `r${++parser.sources}`, asOf })
}

function parseGroup(parser: Parser, source: Source, raw: unknown, path: string, depth: number): QueryNode | undefined {
  if (++parser.groups > maxFilterGroups)
    return parser.groups === maxFilterGroups + 1 ? say(parser, path, `At most ${maxFilterGroups} groups in a filter.`) : undefined
  if (depth > maxFilterDepth) return say(parser, path, `Filters nest at most ${maxFilterDepth} levels.`)
  if (Array.isArray(raw)) return { kind: 'group', logic: 'AND', nodes: each(raw, path, (rule, at) => parseRule(parser, source, rule, at)) }
  if (!isObject(raw)) return say(parser, path, `Expected {logic, rules[], groups[]} or an array of rules, got ${quoted(raw)}.`)
  refuseOtherKeys(parser, raw, ['logic', 'rules', 'groups', 'entity', 'via', 'has'], path)
  const { entity, via } = raw
  if (entity === undefined && via === undefined && raw['has'] === undefined) return parseNodes(parser, source, raw, path, depth)
  if (entity === undefined) return say(parser, `${path}.entity`, 'Required beside via and has: the entity of the related records.')
  const has = wordOf(parser, raw['has'], ['some', 'none', 'every'], `${path}.has`)
  if (via !== undefined && !wordOf(parser, via, links, `${path}.via`)) return undefined
  const isItself = isOwn(source.entity, entity) && waysBetween(parser.catalog, source.entity, source.entity).length === 0
  if (isItself && via === undefined && raw['has'] === undefined) return parseNodes(parser, source, raw, path, depth)
  if (isRuleTooMany(parser, path)) return undefined
  const related = findRelated(parser, source, entity, via, path)
  const node = related && parseNodes(parser, related.source, raw, path, depth)
  return node && has && { ...related, has, node }
}

function parseNodes(parser: Parser, source: Source, raw: Record<string, unknown>, path: string, depth: number): GroupNode | undefined {
  const { rules = [], groups = [] } = raw
  const logic = wordOf(parser, raw['logic'], ['AND', 'OR'], `${path}.logic`)
  if (logic === undefined) return undefined
  if (!Array.isArray(rules)) return say(parser, `${path}.rules`, 'Expected an array of rules.')
  if (!Array.isArray(groups)) return say(parser, `${path}.groups`, 'Expected an array of groups.')
  const nodes: QueryNode[] = [
    ...each(rules, `${path}.rules`, (rule, at) => parseRule(parser, source, rule, at)),
    ...each(groups, `${path}.groups`, (group, at) => parseGroup(parser, source, group, at, depth + 1)),
  ]
  return { kind: 'group', logic, nodes }
}

function parseRule(parser: Parser, source: Source, raw: unknown, path: string): QueryNode | undefined {
  if (isRuleTooMany(parser, path)) return undefined
  if (!isObject(raw)) return say(parser, path, 'Expected {property, op, value}.')
  const { entity, property, op, value } = raw
  const hasOthers = refuseOtherKeys(parser, raw, ['entity', 'property', 'op', 'value'], path)
  if (hasOthers && (property === undefined || op === undefined || value === undefined)) return undefined
  if (isOwn(source.entity, entity)) return parseComparison(parser, source, raw, path)
  const related = findRelated(parser, source, entity, undefined, path)
  const rule = related && parseComparison(parser, related.source, raw, path)
  if (!rule) return undefined
  const opposite = oppositeOf(rule)
  // A record has one parent: where it has none, the values of the parent are empty, and what holds for empty values holds.
  if (opposite && related.ways[0]?.link === 'parent') return { ...related, has: 'none', node: opposite }
  return { ...related, has: 'some', node: rule }
}

function parseComparison(
  parser: Parser,
  source: Source,
  { property, op, value }: Record<string, unknown>,
  path: string,
): Comparison | undefined {
  const field = readField(parser, source, property, `${path}.property`)
  if (!field) return undefined
  const allowed = operatorsOf(field.dataType)
  const operator = allowed.find((known) => known === op)
  if (!operator) {
    const message = `${quoted(op)} cannot be used on a ${field.dataType}. Allowed: ${allowed.join(', ')}.`
    return say(parser, `${path}.op`, message, typeof op === 'string' ? nearest(op, allowed) : undefined)
  }
  return readComparison(field, operator, value, `${path}.value`, {
    say: (...said) => say(parser, ...said),
    clock: () => parser.clock ?? clockMissing(parser),
    mayTakeDay: () => ++parser.days <= maxDays,
  })
}

/** A filter, by either of its names, and a sort, as a caller sends them. */
export interface QueryInput {
  readonly filterRules?: unknown
  readonly filters?: unknown
  readonly sort?: unknown
}

export interface ParsedQuery {
  readonly filter: QueryNode | undefined
  readonly sort: readonly SortKey[]
  readonly issues: readonly Finding[]
  /** Entities to look at the tables of; the query is to be parsed again with them. */
  readonly missing: readonly CatalogEntity[]
  /** The query speaks of the caller's time; it is to be parsed again with it. */
  readonly isClockMissing: boolean
}

/** Parses the filter, by either of its names, and the sort of a call on the records of a source. Any issue means that the query must not run. */
export function parseQuery(source: Source, reach: Reach, input: QueryInput): ParsedQuery {
  const parser: Parser = {
    ...reach,
    issues: [],
    missing: new Set(),
    rules: 0,
    groups: 0,
    sources: 0,
    related: 0,
    days: 0,
    isClockMissing: false,
  }
  const [name, said] = input.filterRules === undefined ? ['filters', input.filters] : ['filterRules', input.filterRules]
  const filter = said === undefined || said === null ? undefined : parseGroup(parser, source, said, `$.${name}`, 1)
  const sort: SortKey[] = []
  if (input.sort !== undefined && input.sort !== null) {
    if (!Array.isArray(input.sort) || input.sort.length > 8) say(parser, '$.sort', 'Expected an array of at most 8 {property, direction}.')
    else input.sort.forEach((raw, index) => parseSort(parser, source, raw, `$.sort[${index}]`, sort))
  }
  return { filter, sort, issues: parser.issues, missing: [...parser.missing], isClockMissing: parser.isClockMissing }
}

function parseSort(parser: Parser, source: Source, raw: unknown, path: string, sort: SortKey[]): void {
  if (!isObject(raw)) return say(parser, path, 'Expected {property, direction}.')
  const { property, entity } = raw
  if (!isOwn(source.entity, entity))
    return say(parser, `${path}.entity`, `A list of ${source.entity.internalName} cannot be sorted by ${quoted(entity)}.`)
  const field = readField(parser, source, property, `${path}.property`)
  if (!field) return
  const direction = wordOf(parser, raw['direction'], ['asc', 'desc'], `${path}.direction`)
  if ('property' in field && field.property.isList)
    return say(parser, `${path}.property`, `${field.property.internalName} is a list; sort by a property with one value.`)
  if (direction) sort.push({ field, direction })
}
