/** Compiles the order of records, a row's place in it, and what comes after a place. */
import { orderedTextSql } from '#platform/db/record-indexes.ts'
import type { CatalogOption } from '#tools/entities/catalog.types.ts'
import type { SystemField } from '#tools/properties/operators.types.ts'

import { constantSql, isoSql, type Parameters } from './columns.rules.ts'
import { collated, fieldSql, propertyOf, typeOfField } from './field.rules.ts'
import { rowsOf, type Source } from './source.rules.ts'
import type { Field, SortKey } from './tree.types.ts'

const optionsLookedThrough = 64

/** The options of a field in their order, deleted ones after the others; undefined where it has none. */
function rankedOptions(field: Field): readonly CatalogOption[] | undefined {
  const property = propertyOf(field)
  if (!property || (field.dataType !== 'Choice' && field.dataType !== 'Hierarchy')) return undefined
  return [...property.options, ...(property.retiredOptions ?? [])]
}

/**
 * What rows are sorted by: options in the order that the property gives them, deleted ones after the others; texts by how they begin, where an empty
 * one is none, as isEmpty has it; anything else by its value.
 */
export function sortSql(parameters: Parameters, field: Field): string {
  const column = fieldSql(field)
  if (field.dataType === 'Text') return propertyOf(field) ? orderedTextSql(column) : `nullif(${column}, '')`
  const ranked = rankedOptions(field)
  if (!ranked) return column
  // Looked through for each row, unless there are too many.
  if (ranked.length <= optionsLookedThrough)
    return `(array_position(${parameters.add(`{${ranked.map((option) => option.optionId).join(',')}}`)}::text::int[], ${column}) - 1)`
  const ranks = JSON.stringify(Object.fromEntries(ranked.map((option, rank) => [option.optionId, rank])))
  return `((select ${parameters.add(ranks)}::text::jsonb) ->> ${column}::text)::int`
}

const neverEmpty: ReadonlySet<SystemField> = new Set(['eiRecordId', 'entityId', 'createdDate', 'modifiedDate'])

function canBeEmpty({ field, reached }: Pick<SortKey, 'field' | 'reached'>): boolean {
  return reached !== undefined || !('system' in field && neverEmpty.has(field.system))
}

/** What rows are sorted by in one key: a value of theirs, or of the parent above them, which is empty where there is none that the caller sees. */
function sortKeySql(parameters: Parameters, { field, reached }: SortKey): string {
  if (!reached) return sortSql(parameters, field)
  // An entity whose table nobody has needed yet has no records.
  const chains = reached.chains.filter((steps) => steps.every((step) => step.present.size > 0))
  if (chains.length === 0) return `null::${typeOfField(field)}`
  const value = sortSql(parameters, field)
  const found = chains.map((steps) => {
    const opened = steps.map((step) => rowsOf(parameters, step))
    const above = steps.map((step, index) => `${step.alias}.id = ${(steps[index - 1] ?? reached.from).alias}.parent_id`)
    const conditions = [...above, ...opened.flatMap((rows) => rows.conditions)]
    return `(select ${value} from ${opened.map((rows) => rows.from).join(', ')} where ${conditions.join(' and ')})`
  })
  return found.length === 1 ? found.join('') : `coalesce(${found.join(', ')})`
}

interface Term extends Pick<SortKey, 'field' | 'reached'> {
  /** Empty ones are null. */
  readonly value: string
  /** The same, as it is compared. */
  readonly compared: string
  readonly direction: SortKey['direction']
}

function termsOf(parameters: Parameters, sort: readonly SortKey[]): Term[] {
  return sort.map((key) => {
    const { field, reached, direction } = key
    const value = sortKeySql(parameters, key)
    return { field, reached, value, compared: collated(field, value), direction }
  })
}

/** The order of rows of which the first term is empty in none, where it says so. No index has its empty values last in both directions. */
function orderOf({ alias }: Source, terms: readonly Term[], isFirstFull = false): string {
  const ordered = terms.map((term, index) => {
    const { compared, direction } = term
    return (index === 0 && isFirstFull) || !canBeEmpty(term) ? `${compared} ${direction}` : `${compared} ${direction} nulls last`
  })
  return [...ordered, `${alias}.id asc`].join(', ')
}

/** `order by` terms: empty values last in both directions, the id to break ties. */
export function orderSql(parameters: Parameters, source: Source, sort: readonly SortKey[]): string {
  return orderOf(source, termsOf(parameters, sort))
}

/** What a cursor keeps of a row: its sort values as text, then its id. */
export function positionSql(parameters: Parameters, { alias }: Source, sort: readonly SortKey[]): string {
  const parts = sort.map((key) => {
    const expression = sortKeySql(parameters, key)
    return typeOfField(key.field) === 'timestamptz' ? isoSql(expression) : `(${expression})::text`
  })
  return `json_build_array(${[...parts, `${alias}.id::text`].join(', ')})`
}

/** Rows that follow each other in an index on what they are sorted by. */
export interface Range {
  readonly condition: string
  /** The order within. */
  readonly order: string
}

/** The rows that are equal to a position or later in these terms, and in the end by their id. */
function laterSql(terms: readonly Term[], then: readonly (string | undefined)[], idLater: string): string {
  const [term, ...others] = terms
  const [value, ...otherValues] = then
  if (!term) return idLater
  const further = laterSql(others, otherValues, idLater)
  if (value === undefined) return `(${term.value} is null and ${further})`
  const later = `${term.compared} ${term.direction === 'asc' ? '>' : '<'} ${value}`
  return `(${later}${canBeEmpty(term) ? ` or ${term.value} is null` : ''} or (${term.value} = ${value} and ${further}))`
}

/**
 * What an index says of the order of a list: that there is one which has rows by the first term, below equal values of what stands before it in the index.
 */
export type Indexed = (field: Field) => boolean

/** More ranges than that take longer to plan than they spare. */
const mostOptionRanges = 12

/** Whether rows in the order of a field's options are read option by option, where an index has those of each together. */
export function isReadByOption(field: Field): boolean {
  return (rankedOptions(field)?.length ?? Infinity) <= mostOptionRanges
}

/**
 * All rows as ranges, where one order of the whole is none that an index has: the empty values of a falling order come last, and options have an order of
 * their own. Undefined where the whole is one range.
 */
export function rangesOfAll(
  parameters: Parameters,
  source: Source,
  sort: readonly SortKey[],
  isIndexed: Indexed,
): readonly Range[] | undefined {
  const [key, ...rest] = sort
  if (!key || !isIndexed(key.field)) return undefined
  // PostgreSQL refuses a parameter that no part of a statement names: terms are made where they are sent.
  if (rankedOptions(key.field)) return rangesOfOptions(source, key, termsOf(parameters, rest))
  if (key.direction === 'asc' || !canBeEmpty(key)) return undefined
  const terms = termsOf(parameters, sort)
  const [first, ...others] = terms
  if (!first) return undefined
  return [
    { condition: `${first.value} is not null`, order: orderOf(source, terms, true) },
    { condition: `${first.value} is null`, order: orderOf(source, others) },
  ]
}

/** A range for each option of what rows are sorted by first, and one of the rows without any. */
function rangesOfOptions(source: Source, first: SortKey, others: readonly Term[]): Range[] {
  const options = rankedOptions(first.field) ?? []
  const column = fieldSql(first.field)
  const order = orderOf(source, others)
  const ranges = options.map(({ optionId }) => ({ condition: `${column} = ${optionId}`, order }))
  return [...(first.direction === 'asc' ? ranges : ranges.toReversed()), { condition: `${column} is null`, order }]
}

/** The values of a position, where it has some. */
function valuesOf(parameters: Parameters, sort: readonly SortKey[], position: readonly unknown[]): (string | undefined)[] {
  return sort.map(({ field }, index) => {
    const value = position[index]
    return typeof value === 'string' ? constantSql(`${parameters.add(value)}::text`, typeOfField(field)) : undefined
  })
}

/**
 * What comes after a position, as one range of the first term's values and one of its empty ones behind it. Each begins where an index on the term has
 * it: said as one chain of alternatives, PostgreSQL would walk to the place from the beginning of the index.
 */
export function rangesAfter(
  parameters: Parameters,
  source: Source,
  sort: readonly SortKey[],
  position: readonly unknown[],
  isIndexed: Indexed,
): Range[] {
  const id = `${source.alias}.id`
  const idThen = `${parameters.add(String(position.at(-1)))}::text::bigint`
  const [key, ...rest] = sort
  const options = key && isIndexed(key.field) ? rankedOptions(key.field) : undefined
  if (key && options) {
    const others = termsOf(parameters, rest)
    const further = laterSql(others, valuesOf(parameters, rest, position.slice(1)), `${id} > ${idThen}`)
    // A deleted option may have gone since the page that the cursor is of.
    const rank = Math.min(Number(position[0]), options.length)
    const place = position[0] === null ? options.length : key.direction === 'asc' ? rank : Math.max(0, options.length - 1 - rank)
    const [begun, ...later] = rangesOfOptions(source, key, others).slice(place)
    if (begun) return [{ ...begun, condition: `${begun.condition} and ${further}` }, ...later]
  }
  const terms = termsOf(parameters, sort)
  const then = valuesOf(parameters, sort, position)
  const [first, ...others] = terms
  const [value, ...otherValues] = then
  if (!first || value === undefined) {
    // All that is left has no value of the first term, or there is no term.
    return [{ condition: laterSql(terms, then, `${id} > ${idThen}`), order: orderOf(source, others) }]
  }
  const { compared, direction } = first
  const begin = `${compared} ${direction === 'asc' ? '>=' : '<='} ${value}`
  const within =
    others.length === 0 && direction === 'asc'
      ? `(${compared}, ${id}) > (${value}, ${idThen})`
      : `(${compared} ${direction === 'asc' ? '>' : '<'} ${value} or ${laterSql(others, otherValues, `${id} > ${idThen}`)})`
  const full = { condition: `${begin} and ${within}`, order: orderOf(source, terms, true) }
  return canBeEmpty(first) ? [full, { condition: `${first.value} is null`, order: orderOf(source, others) }] : [full]
}
