/** Filters and sorts: from what a caller sends to one query tree in the field's terms, checked against the catalog. */
import type { Finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { operatorsOf } from '#tools/properties/operators.types.ts'

import { oppositeOf } from './opposite.rules.ts'
import {
  clockMissing,
  each,
  isObject,
  isRuleTooMany,
  lowered,
  maxFilterDepth,
  maxFilterGroups,
  newParser,
  type Parser,
  type Reach,
  readField,
  refuseOtherKeys,
  say,
  wordOf,
} from './parser.rules.ts'
import { links, relatedTo, type Way, waysBetween } from './relations.rules.ts'
import { openSource, type Readable, type Source } from './source.rules.ts'
import type { Comparison, GroupNode, QueryNode, ReachedParent, RelatedNode, SortKey } from './tree.types.ts'
import { unknownEntity } from './unknown-name.rules.ts'
import { maxDays, readComparison } from './values.rules.ts'

/** Whether what a rule, group or sort says of its entity, if anything, is the entity of its records. */
function isOwn({ internalName, entityId }: CatalogEntity, said: unknown): boolean {
  const text = typeof said === 'string' ? said.toLowerCase() : JSON.stringify(said)
  return said === undefined || [internalName.toLowerCase(), String(entityId)].includes(text)
}

/** An entity that is related to that of `from`, with every way that leads there. */
function findRelative(
  parser: Parser,
  from: Source,
  said: unknown,
  path: string,
): { readonly to: CatalogEntity; readonly ways: readonly Way[] } | undefined {
  const { catalog } = parser
  const to = typeof said === 'string' || typeof said === 'number' ? catalog.byIdOrName.get(String(said).toLowerCase()) : undefined
  const related = relatedTo(catalog, from.entity)
  if (!to) {
    const known = [...(parser.joined?.sources.keys() ?? []), ...related.keys(), ...catalog.entities.map((entity) => entity.internalName)]
    parser.issues.push(unknownEntity(said, known, `${path}.entity`))
    return undefined
  }
  const ways = waysBetween(catalog, from.entity, to)
  if (ways.length > 0) return { to, ways }
  const shown = [...related].slice(0, 10).map(([entity, link]) => `${entity} (${link})`)
  const close = shown.length === 0 ? 'It has no related entities.' : `Related to it: ${shown.join(', ')}.`
  return say(parser, `${path}.entity`, `${to.internalName} is not related to ${from.entity.internalName}. ${close}`)
}

/** The records of another entity that `from` leads to, as a source of their own. */
function findRelated(
  parser: Parser,
  from: Source,
  said: unknown,
  via: unknown,
  path: string,
): Omit<RelatedNode, 'has' | 'node'> | undefined {
  const relative = findRelative(parser, from, said, path)
  if (!relative) return undefined
  const { to, ways } = relative
  const name = from.entity.internalName
  const reached = links.filter((link) => ways.some((way) => way.link === link))
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
    nth: ++parser.seen.related,
    from,
    source: open(parser, to, from),
    ways: ways.filter((way) => way.link === link).map(({ through }) => ({ link, through: through.map((one) => open(parser, one, from)) })),
  }
}

/** The parent that a sort names, as a source of its own. Of other related records a list has no order, since each record may have several. */
function findParent(
  parser: Parser,
  from: Source,
  said: unknown,
  path: string,
): { readonly source: Source; readonly reached: ReachedParent } | undefined {
  const relative = findRelative(parser, from, said, path)
  if (!relative) return undefined
  const { to, ways } = relative
  const up = ways.filter((way) => way.link === 'parent')
  if (up.length === 0) {
    const name = from.entity.internalName
    const message = `A list of ${name} cannot be sorted by ${to.internalName}: one ${name} may have several of it. Sort by a property of ${name} or of a parent of it, or by an aggregate in a report that joins ${to.internalName}.`
    return say(parser, `${path}.entity`, message)
  }
  const source = open(parser, to, from)
  return { source, reached: { from, chains: up.map(({ through }) => [...through.map((one) => open(parser, one, from)), source]) } }
}

/** Related records are those that live, at the time that the others are read as of. */
function open(parser: Parser, entity: CatalogEntity, { asOf, at }: Source): Source {
  return openSource(tableOf(parser, entity), { alias: `r${++parser.seen.sources}`, asOf, at })
}

/** The entity as its tables stand; nothing is in it while nobody has looked. */
export function tableOf(parser: Parser, entity: CatalogEntity): Readable {
  const readable = parser.tables.get(entity.entityId)
  if (readable) return readable
  parser.missing.add(entity)
  return { catalog: parser.catalog, entity, present: new Set(), sight: undefined }
}

/** The joined records that a rule or group speaks of, where it stands on what is joined and not on related records. */
function joinedAs({ joined }: Parser, source: Source, said: unknown): Source | undefined {
  if (!joined || joined.outputs) return undefined
  return [...joined.sources.values()].includes(source) ? joined.sources.get(lowered(said)) : undefined
}

const onlyOutputs = 'having names columns of the result by their aliases, without entity.'

/** A filter where it stands: a group, or an array of rules. */
export function parseFilter(parser: Parser, source: Source, said: unknown, path: string): QueryNode | undefined {
  return said === undefined || said === null ? undefined : parseGroup(parser, source, said, path, 1)
}

function parseGroup(parser: Parser, source: Source, raw: unknown, path: string, depth: number): QueryNode | undefined {
  if (++parser.seen.groups > maxFilterGroups)
    return parser.seen.groups === maxFilterGroups + 1 ? say(parser, path, `At most ${maxFilterGroups} groups in a filter.`) : undefined
  if (depth > maxFilterDepth) return say(parser, path, `Filters nest at most ${maxFilterDepth} levels.`)
  if (Array.isArray(raw)) return { kind: 'group', logic: 'AND', nodes: each(raw, path, (rule, at) => parseRule(parser, source, rule, at)) }
  if (!isObject(raw)) return say(parser, path, `Expected {logic, rules[], groups[]} or an array of rules, got ${quoted(raw)}.`)
  refuseOtherKeys(parser, raw, ['logic', 'rules', 'groups', 'entity', 'via', 'has'], path)
  const { entity, via } = raw
  if (entity !== undefined && parser.joined?.outputs) return say(parser, `${path}.entity`, onlyOutputs)
  if (entity === undefined && via === undefined && raw['has'] === undefined) return parseNodes(parser, source, raw, path, depth)
  const joined = via === undefined && raw['has'] === undefined ? joinedAs(parser, source, entity) : undefined
  if (joined) return parseNodes(parser, joined, raw, path, depth)
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
  if (entity !== undefined && parser.joined?.outputs) return say(parser, `${path}.entity`, onlyOutputs)
  const joined = joinedAs(parser, source, entity)
  if (joined || isOwn(source.entity, entity)) return parseComparison(parser, joined ?? source, raw, path)
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
    mayTakeDay: () => ++parser.seen.days <= maxDays,
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
  const parser = newParser(reach)
  const [name, said] = input.filterRules === undefined ? ['filters', input.filters] : ['filterRules', input.filterRules]
  const filter = parseFilter(parser, source, said, `$.${name}`)
  const sort: SortKey[] = []
  if (input.sort !== undefined && input.sort !== null) {
    if (!Array.isArray(input.sort) || input.sort.length > 8) say(parser, '$.sort', 'Expected an array of at most 8 {property, direction}.')
    else input.sort.forEach((raw, index) => parseSort(parser, source, raw, `$.sort[${index}]`, sort))
  }
  return { filter, sort, issues: parser.issues, missing: [...parser.missing], isClockMissing: parser.seen.isClockMissing }
}

function parseSort(parser: Parser, source: Source, raw: unknown, path: string, sort: SortKey[]): void {
  if (!isObject(raw)) return say(parser, path, 'Expected {property, direction}.')
  const { property, entity } = raw
  const isOfRecord = isOwn(source.entity, entity)
  const parent = isOfRecord ? undefined : findParent(parser, source, entity, path)
  if (!isOfRecord && !parent) return
  const field = readField(parser, parent?.source ?? source, property, `${path}.property`)
  if (!field) return
  const direction = wordOf(parser, raw['direction'], ['asc', 'desc'], `${path}.direction`)
  if ('property' in field && field.property.isList)
    return say(parser, `${path}.property`, `${field.property.internalName} is a list; sort by a property with one value.`)
  if (direction) sort.push({ field, direction, ...(parent ? { reached: parent.reached } : {}) })
}
