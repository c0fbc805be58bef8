/** Filters and sorts: from what a caller sends to one query tree in the field's terms, checked against the catalog. */
import type { Issue } from '#platform/errors.ts'
import { misnamed } from '#platform/field-synonyms.ts'
import { maxIssues } from '#platform/issues.ts'
import { hasForbiddenCharacter } from '#platform/json.ts'
import { noPatterns } from '#platform/patterns.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type CatalogEntity, propertyIndex } from '#tools/entities/catalog.schema.ts'
import { type Operator, operatorsOf, systemFields } from '#tools/properties/operators.schema.ts'
import { checkValue, type Scalar, type ValueRules } from '#tools/properties/service.ts'

import { systemTypes } from './field.rules.ts'
import { isWithheld, type Source } from './source.rules.ts'
import type { Field, GroupNode, QueryNode, RuleNode, SortKey } from './tree.types.ts'
import { unknownProperty } from './unknown-property.rules.ts'

export const maxFilterDepth = 8
export const maxFilterRules = 200
const maxInValues = 1_000
// As many as 200 rules can stand in, each at the bottom of groups of its own.
const maxFilterGroups = maxFilterDepth * maxFilterRules

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The field of a name: a system field by its wire name, which means the same in every entity, else a property by internalName or id. So a property that
 * is named like a system field goes by its id.
 */
export function findField(source: Source, name: string): Field | undefined {
  const system = systemFields.find((field) => field === name)
  if (system) return { source, system, dataType: systemTypes[system] }
  const property = propertyIndex(source.entity.properties).get(name.toLowerCase())
  return property && { source, property, dataType: property.dataType }
}

/** Why the caller may not ask by a field: what it holds would be told by what is found. */
function whyNotAsked(field: Field): string | undefined {
  if (!('property' in field) || !isWithheld(field.source, field.property)) return undefined
  return `${field.property.internalName} is withheld from you: leave it out of filters, sorts and aggregates.`
}

export function unknownField(entity: CatalogEntity, name: unknown, path: string): Issue {
  if (name === undefined) return { path, severity: 'error', message: 'Required, the internalName or id of a property.' }
  return unknownProperty(entity.internalName, name, [...entity.properties.map((property) => property.internalName), ...systemFields], path)
}

/** A filter value is checked by type alone: looking for a value that the property would now refuse is no mistake. */
function lenient(field: Field): ValueRules {
  return {
    dataType: field.dataType,
    isList: false,
    minValueOrLength: null,
    maxValueOrLength: null,
    maxDecimalPlaces: null,
    regEx: null,
    options: 'property' in field ? field.property.options : [],
    optionFilter: null,
    isByInternalName: true,
  }
}

interface Parser {
  readonly source: Source
  readonly issues: Issue[]
  rules: number
  groups: number
}

function say(parser: Parser, path: string, message: string, suggestion?: string): undefined {
  parser.issues.push({ path, severity: 'error', message, ...(suggestion === undefined ? {} : { suggestion }) })
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

function parseGroup(parser: Parser, raw: unknown, path: string, depth: number): GroupNode | undefined {
  if (++parser.groups > maxFilterGroups)
    return parser.groups === maxFilterGroups + 1 ? say(parser, path, `At most ${maxFilterGroups} groups in a filter.`) : undefined
  if (depth > maxFilterDepth) return say(parser, path, `Filters nest at most ${maxFilterDepth} levels.`)
  if (Array.isArray(raw)) return { kind: 'group', logic: 'AND', nodes: each(raw, path, (rule, at) => parseRule(parser, rule, at)) }
  if (!isObject(raw)) return say(parser, path, `Expected {logic, rules[], groups[]} or an array of rules, got ${quoted(raw)}.`)
  refuseOtherKeys(parser, raw, ['logic', 'rules', 'groups'], path)
  const { logic = 'AND', rules = [], groups = [] } = raw
  if (logic !== 'AND' && logic !== 'OR') {
    const suggestion = typeof logic === 'string' ? nearest(logic, ['AND', 'OR']) : undefined
    return say(parser, `${path}.logic`, `Expected AND or OR, got ${quoted(logic)}.`, suggestion)
  }
  if (!Array.isArray(rules)) return say(parser, `${path}.rules`, 'Expected an array of rules.')
  if (!Array.isArray(groups)) return say(parser, `${path}.groups`, 'Expected an array of groups.')
  const nodes: QueryNode[] = [
    ...each(rules, `${path}.rules`, (rule, at) => parseRule(parser, rule, at)),
    ...each(groups, `${path}.groups`, (group, at) => parseGroup(parser, group, at, depth + 1)),
  ]
  return { kind: 'group', logic, nodes }
}

/** Whether what a rule or a sort says of its entity, if anything, is the entity of the query. */
function isOwn({ internalName, entityId }: CatalogEntity, said: unknown): boolean {
  const text = typeof said === 'string' ? said.toLowerCase() : JSON.stringify(said)
  return said === undefined || [internalName.toLowerCase(), String(entityId)].includes(text)
}

function parseRule(parser: Parser, raw: unknown, path: string): RuleNode | undefined {
  if (++parser.rules > maxFilterRules)
    return parser.rules === maxFilterRules + 1 ? say(parser, path, `At most ${maxFilterRules} rules in a filter.`) : undefined
  if (!isObject(raw)) return say(parser, path, 'Expected {property, op, value}.')
  const { entity, property, op, value } = raw
  const hasOthers = refuseOtherKeys(parser, raw, ['entity', 'property', 'op', 'value'], path)
  if (hasOthers && (property === undefined || op === undefined || value === undefined)) return undefined
  if (!isOwn(parser.source.entity, entity))
    return say(parser, `${path}.entity`, `A filter of ${parser.source.entity.internalName} cannot look into ${quoted(entity)}.`)
  const field = typeof property === 'string' || typeof property === 'number' ? findField(parser.source, String(property)) : undefined
  if (!field) {
    parser.issues.push(unknownField(parser.source.entity, property, `${path}.property`))
    return undefined
  }
  const refusal = whyNotAsked(field)
  if (refusal !== undefined) return say(parser, `${path}.property`, refusal)
  const allowed = operatorsOf(field.dataType)
  const operator = allowed.find((known) => known === op)
  if (!operator) {
    return say(
      parser,
      `${path}.op`,
      `${quoted(op)} cannot be used on a ${field.dataType}. Allowed: ${allowed.join(', ')}.`,
      typeof op === 'string' ? nearest(op, allowed) : undefined,
    )
  }
  const values = parseValues(parser, field, operator, value, `${path}.value`)
  return values && { kind: 'rule', field, op: operator, values }
}

function parseValues(parser: Parser, field: Field, op: Operator, value: unknown, path: string): readonly Scalar[] | undefined {
  if (op === 'isEmpty' || op === 'isNotEmpty')
    return value === undefined || value === null ? [] : say(parser, path, `${op} takes no value.`)
  if (op === 'in' || op === 'notIn' || op === 'between') {
    if (op === 'between' && (!Array.isArray(value) || value.length !== 2))
      return say(parser, path, `between takes [from, to], got ${quoted(value)}.`)
    if (!Array.isArray(value) || value.length === 0)
      return say(parser, path, `${op} takes an array of one or more values, got ${quoted(value)}.`)
    if (value.length > maxInValues) return say(parser, path, `At most ${maxInValues} values.`)
    const parts = value.map((element, index) => parseValue(parser, field, element, `${path}[${index}]`))
    return parts.some((part) => part === undefined) ? undefined : parts.filter((part) => part !== undefined)
  }
  const one = parseValue(parser, field, value, path)
  return one === undefined ? undefined : [one]
}

function parseValue(parser: Parser, field: Field, raw: unknown, path: string): Scalar | undefined {
  if (raw === null || raw === undefined) return say(parser, path, 'A value is required. Use isEmpty or isNotEmpty to look for none.')
  // Keys are compared as bytes: what normalising makes of a text would look for another key.
  if ('system' in field && field.dataType === 'Text' && typeof raw === 'string' && !hasForbiddenCharacter(raw)) return raw
  const checked = checkValue(lenient(field), raw, noPatterns)
  if ('problem' in checked) return say(parser, path, checked.problem, checked.suggestion)
  if ('system' in field && field.dataType === 'Number' && !Number.isSafeInteger(checked.value))
    return say(parser, path, `Expected an id, got ${quoted(raw)}.`)
  // Not a list and not null: lenient() is neither, and null was refused above.
  return checked.value as Scalar
}

/** Whether a text out of a cursor is a value of the field as a row has it. Cursors are not signed, so anything may come. */
function isValueText(field: Field, text: string): boolean {
  if ('system' in field && field.dataType === 'Number') return /^\d{1,16}$/.test(text)
  switch (field.dataType) {
    case 'Number':
    case 'Currency':
      return text.trim() === text && text !== '' && Number.isFinite(Number(text))
    case 'Choice':
    case 'Hierarchy':
      return /^\d{1,9}$/.test(text)
    case 'Boolean':
      return text === 'true' || text === 'false'
    default:
      return 'value' in checkValue(lenient(field), text, noPatterns)
  }
}

/** Whether a cursor's position can be one in this order: a value or null for each sort key, then a record's id. */
export function isPosition(sort: readonly SortKey[], position: readonly unknown[]): boolean {
  const id = position.at(-1)
  return (
    position.length === sort.length + 1 &&
    typeof id === 'string' &&
    /^\d{1,16}$/.test(id) &&
    sort.every(({ field }, index) => {
      const value = position[index]
      return value === null || (typeof value === 'string' && isValueText(field, value))
    })
  )
}

export interface ParsedQuery {
  readonly filter: GroupNode | undefined
  readonly sort: readonly SortKey[]
  readonly issues: readonly Issue[]
}

/** Parses the filter, by either of its names, and the sort of a call on the records of a source. Any issue means that the query must not run. */
export function parseQuery(source: Source, input: { filterRules?: unknown; filters?: unknown; sort?: unknown }): ParsedQuery {
  const parser: Parser = { source, issues: [], rules: 0, groups: 0 }
  const [name, said] = input.filterRules === undefined ? ['filters', input.filters] : ['filterRules', input.filterRules]
  const filter = said === undefined || said === null ? undefined : parseGroup(parser, said, `$.${name}`, 1)
  const sort: SortKey[] = []
  if (input.sort !== undefined && input.sort !== null) {
    if (!Array.isArray(input.sort) || input.sort.length > 8) say(parser, '$.sort', 'Expected an array of at most 8 {property, direction}.')
    else input.sort.forEach((raw, index) => parseSort(parser, raw, `$.sort[${index}]`, sort))
  }
  return { filter, sort, issues: parser.issues }
}

function parseSort(parser: Parser, raw: unknown, path: string, sort: SortKey[]): void {
  if (!isObject(raw)) return say(parser, path, 'Expected {property, direction}.')
  const { property, entity, direction = 'asc' } = raw
  if (!isOwn(parser.source.entity, entity))
    return say(parser, `${path}.entity`, `A list of ${parser.source.entity.internalName} cannot be sorted by ${quoted(entity)}.`)
  const field = typeof property === 'string' || typeof property === 'number' ? findField(parser.source, String(property)) : undefined
  if (!field) return void parser.issues.push(unknownField(parser.source.entity, property, `${path}.property`))
  const refusal = whyNotAsked(field)
  if (refusal !== undefined) return say(parser, `${path}.property`, refusal)
  if (direction !== 'asc' && direction !== 'desc')
    return say(parser, `${path}.direction`, `Expected asc or desc, got ${quoted(direction)}.`)
  if ('property' in field && field.property.isList)
    return say(parser, `${path}.property`, `${field.property.internalName} is a list; sort by a property with one value.`)
  sort.push({ field, direction })
}
