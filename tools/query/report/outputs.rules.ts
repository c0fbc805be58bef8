/** Reads what the result of a report shows: columns, groups and aggregates, each with its name. */
import { nearest, quoted } from '#platform/suggest.ts'
import type { DataType } from '#tools/entities/catalog.types.ts'
import { aggregates, aggregatesOf } from '#tools/properties/operators.types.ts'

import { propertyOf, typeOfField } from '../field.rules.ts'
import { parseFilter } from '../parse.rules.ts'
import { isObject, lowered, type Parser, readField, readShown, refuseOtherKeys, refuseWithheld, say } from '../parser.rules.ts'
import type { Source } from '../source.rules.ts'
import type { OutputField, RecordField } from '../tree.types.ts'
import { readAlias } from './joins.rules.ts'
import { type DatePart, dateParts } from './report.schema.ts'
import type { Made, Output, Tables } from './report.types.ts'

const maxColumns = 200
const maxGroups = 20
const maxAggregates = 50

interface Wish {
  readonly made: Made
  readonly alias: string | undefined
  readonly path: string
}

function listOf(parser: Parser, said: unknown, most: number, path: string, form: string): readonly unknown[] {
  if (said === undefined || said === null) return []
  if (Array.isArray(said) && said.length <= most) return said
  say(parser, path, `Expected an array of at most ${most} ${form}.`)
  return []
}

/** The records that a part speaks of: joined ones by alias or entity, those that the report begins with where it says nothing. */
export function sourceOf(parser: Parser, { root, sources, names }: Tables, said: unknown, path: string): Source | undefined {
  if (said === undefined || said === null) return root
  const found = sources.get(lowered(said))
  if (found) return found
  const known = [...names.values()]
  const suggestion = typeof said === 'string' ? nearest(said, known) : undefined
  return say(parser, `${path}.entity`, `${quoted(said)} is not in the report, which has ${known.join(', ')}. Join it first.`, suggestion)
}

/** The field of records that a part names. */
export function fieldOf(parser: Parser, tables: Tables, raw: Record<string, unknown>, path: string): RecordField | undefined {
  const source = sourceOf(parser, tables, raw['entity'], path)
  const field = source && readField(parser, source, raw['property'], `${path}.property`)
  return field && 'output' in field ? undefined : field
}

function readColumn(parser: Parser, tables: Tables, said: unknown, path: string): Wish | undefined {
  const raw = typeof said === 'string' || typeof said === 'number' ? { property: said } : said
  if (!isObject(raw)) return say(parser, path, `Expected {entity, property, alias}, got ${quoted(said)}.`)
  if (raw === said) refuseOtherKeys(parser, raw, ['entity', 'property', 'alias'], path)
  const source = sourceOf(parser, tables, raw['entity'], path)
  const field = source && readShown(parser, source, raw['property'], `${path}.property`)
  if (!field || 'output' in field) return undefined
  return { made: { kind: 'column', field }, alias: readAlias(parser, raw['alias'], `${path}.alias`), path }
}

const partsOf: Readonly<Partial<Record<DataType, readonly DatePart[]>>> = {
  DateTime: dateParts,
  DateOnly: dateParts.filter((part) => part !== 'hourOfDay'),
  TimeOnly: ['hourOfDay'],
}

function readGroup(parser: Parser, tables: Tables, said: unknown, path: string): Wish | undefined {
  const raw = typeof said === 'string' || typeof said === 'number' ? { property: said } : said
  if (!isObject(raw)) return say(parser, path, `Expected {entity, property, datePart}, got ${quoted(said)}.`)
  if (raw === said) refuseOtherKeys(parser, raw, ['entity', 'property', 'datePart', 'alias'], path)
  const field = fieldOf(parser, tables, raw, path)
  if (!field) return undefined
  if (propertyOf(field)?.isList)
    return say(parser, `${path}.property`, `${propertyOf(field)?.internalName} is a list; group by a property with one value.`)
  const alias = readAlias(parser, raw['alias'], `${path}.alias`)
  const asked = raw['datePart'] ?? undefined
  if (asked === undefined) return { made: { kind: 'group', field, datePart: undefined }, alias, path }
  const allowed = partsOf[field.dataType] ?? []
  const datePart = allowed.find((part) => part === asked)
  if (datePart) return { made: { kind: 'group', field, datePart }, alias, path }
  const message =
    allowed.length === 0
      ? `A ${field.dataType} has no parts of a date; leave datePart out.`
      : `Expected ${allowed.join(', ')}, got ${quoted(asked)}.`
  return say(parser, `${path}.datePart`, message, typeof asked === 'string' ? nearest(asked, allowed) : undefined)
}

function readAggregate(parser: Parser, tables: Tables, raw: unknown, path: string): Wish | undefined {
  if (!isObject(raw)) return say(parser, path, `Expected {entity, property, fn, alias}, got ${quoted(raw)}.`)
  refuseOtherKeys(parser, raw, ['entity', 'property', 'fn', 'alias', 'distinct', 'filter'], path)
  const { property, distinct } = raw
  const said = raw['fn']
  const fn = typeof said === 'string' ? aggregates.find((one) => one === said.toUpperCase()) : undefined
  if (!fn) {
    const suggestion = typeof said === 'string' ? nearest(said.toUpperCase(), aggregates) : undefined
    return say(parser, `${path}.fn`, `Expected ${aggregates.join(', ')}, got ${quoted(said)}.`, suggestion)
  }
  const isDistinct = distinct === true
  if (distinct !== undefined && distinct !== null && typeof distinct !== 'boolean')
    say(parser, `${path}.distinct`, `Expected true or false, got ${quoted(distinct)}.`)
  const alias = readAlias(parser, raw['alias'], `${path}.alias`)
  const source = sourceOf(parser, tables, raw['entity'], path)
  if (!source) return undefined
  // Its filter speaks of what it counts.
  const filter = parseFilter(parser, source, raw['filter'], `${path}.filter`)
  if (property === undefined || property === null) {
    if (fn !== 'COUNT') return say(parser, `${path}.property`, `Required: ${fn} is of a property. Only COUNT counts rows without one.`)
    const of = raw['entity'] === undefined || raw['entity'] === null ? (isDistinct ? tables.root : undefined) : source
    return { made: { kind: 'aggregate', fn, field: undefined, of, isDistinct, filter }, alias, path }
  }
  const field = fieldOf(parser, tables, raw, path)
  if (!field) return undefined
  const own = propertyOf(field)
  const allowed = own?.isList ? ['COUNT'] : aggregatesOf(field.dataType)
  if (allowed.includes(fn)) return { made: { kind: 'aggregate', fn, field, of: undefined, isDistinct, filter }, alias, path }
  const what = own?.isList ? 'a list' : `a ${field.dataType}`
  return say(parser, `${path}.fn`, `There is no ${fn} of ${what}. Allowed: ${allowed.join(', ')}.`)
}

function fieldName(field: RecordField): string {
  return 'property' in field ? field.property.internalName : field.system
}

/** What a column is called without an alias, and what besides where that is taken. */
function namesOf({ made }: Wish, { root, names }: Tables): { readonly name: string; readonly more: string } {
  const source = made.field?.source ?? (made.kind === 'aggregate' ? made.of : undefined) ?? root
  const entity = names.get(source) ?? source.entity.internalName
  if (made.kind === 'aggregate')
    return made.field
      ? { name: `${entity}_${fieldName(made.field)}`, more: made.fn }
      : { name: `${entity}_COUNT`, more: made.isDistinct ? 'distinct' : 'rows' }
  return { name: `${entity}_${fieldName(made.field)}`, more: made.kind === 'group' ? (made.datePart ?? 'group') : 'column' }
}

const extracted: readonly (DatePart | undefined)[] = ['dayOfWeek', 'hourOfDay', 'monthOfYear']

/** What the values of a column are. Numbers are compared as decimals, whatever counts them. */
function resultOf({ made }: Wish, output: string, name: string, source: Source): OutputField {
  const number: OutputField = { source, dataType: 'Number', output, name, sqlType: 'numeric' }
  const { field } = made
  if (!field || (made.kind === 'aggregate' && made.fn !== 'MIN' && made.fn !== 'MAX')) return number
  if (made.kind === 'group' && made.datePart !== undefined)
    return extracted.includes(made.datePart) ? number : { ...number, dataType: 'Text', sqlType: 'text' }
  return { ...number, dataType: field.dataType, sqlType: typeOfField(field), of: propertyOf(field) }
}

const isSame = (one: RecordField, other: RecordField) => one.source === other.source && fieldName(one) === fieldName(other)

/** Of a report whose rows are groups, a column is a group too: one that stands among them gives it its name. */
function merged(groups: readonly Wish[], columns: readonly Wish[]): Wish[] {
  const all = [...groups]
  for (const column of columns) {
    const { made } = column
    if (made.kind !== 'column') continue
    const index = all.findIndex((group) => group.made.field !== undefined && isSame(group.made.field, made.field))
    const group = all[index]
    if (!group) all.push({ ...column, made: { kind: 'group', field: made.field, datePart: undefined } })
    else if (group.alias === undefined) all[index] = { ...group, alias: column.alias }
  }
  return all
}

/** Gives every column its names, each once. */
function named(parser: Parser, tables: Tables, wishes: readonly Wish[]): Output[] {
  const taken = new Set<string>()
  for (const { alias, path } of wishes) {
    if (alias === undefined) continue
    if (taken.has(alias.toLowerCase())) say(parser, `${path}.alias`, `${quoted(alias)} names another column of the result already.`)
    taken.add(alias.toLowerCase())
  }
  const pivots = new Set<string>()
  const free = (among: Set<string>, name: string, more: string): string => {
    let chosen = name
    for (let number = 1; among.has(chosen.toLowerCase()); number++) chosen = number === 1 ? `${name}_${more}` : `${name}_${more}_${number}`
    among.add(chosen.toLowerCase())
    return chosen
  }
  return wishes.map((wish, index): Output => {
    const { name, more } = namesOf(wish, tables)
    const shown = wish.alias ?? free(taken, name, more)
    return {
      made: wish.made,
      pivotName: free(pivots, name, more),
      name: shown,
      isAliased: wish.alias !== undefined,
      result: resultOf(wish, `c${index}`, shown, tables.root),
    }
  })
}

export interface OutputsSaid {
  readonly columns: unknown
  readonly groupBy: unknown
  readonly aggregates: unknown
}

export function readOutputs(parser: Parser, tables: Tables, said: OutputsSaid, path: string): { outputs: Output[]; isGrouped: boolean } {
  const read = (list: unknown, key: string, most: number, form: string, one: typeof readColumn) =>
    listOf(parser, list, most, `${path}.${key}`, form).flatMap((raw, index) => one(parser, tables, raw, `${path}.${key}[${index}]`) ?? [])
  const columns = read(said.columns, 'columns', maxColumns, '{entity, property, alias}', readColumn)
  const groups = read(said.groupBy, 'groupBy', maxGroups, '{entity, property, datePart}', readGroup)
  const wanted = read(said.aggregates, 'aggregates', maxAggregates, '{entity, property, fn, alias}', readAggregate)
  const isGrouped = groups.length > 0 || wanted.length > 0
  if (!isGrouped) return { outputs: named(parser, tables, columns), isGrouped }
  for (const { made, path: at } of columns) {
    if (made.kind !== 'column') continue
    refuseWithheld(parser, made.field, `${at}.property`)
    if (propertyOf(made.field)?.isList) say(parser, at, 'Beside aggregates a column is a group, and a list cannot be grouped by.')
  }
  return { outputs: named(parser, tables, [...merged(groups, columns), ...wanted]), isGrouped }
}
