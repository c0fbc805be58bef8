/** Compiles the order of records, a row's place in it, and what comes after a place. */
import type { SystemField } from '#tools/properties/operators.schema.ts'

import { constantSql, isoSql, type Parameters } from './columns.rules.ts'
import { collated, fieldSql, orderedCharacters, typeOfField } from './field.rules.ts'
import type { Source } from './source.rules.ts'
import type { Field, SortKey } from './tree.types.ts'

/**
 * What rows are sorted by: options in the order that the property gives them, deleted ones after the others; texts by how they begin, where an empty
 * one is none, as isEmpty has it; anything else by its value.
 */
function sortSql(parameters: Parameters, field: Field): string {
  const column = fieldSql(field)
  if (field.dataType === 'Text') return 'property' in field ? `left(nullif(${column}, ''), ${orderedCharacters})` : `nullif(${column}, '')`
  if (!('property' in field) || (field.dataType !== 'Choice' && field.dataType !== 'Hierarchy')) return column
  const ranked = [...field.property.options, ...(field.property.retiredOptions ?? [])]
  const ranks = JSON.stringify(Object.fromEntries(ranked.map((option, rank) => [option.optionId, rank])))
  return `((select ${parameters.add(ranks)}::text::jsonb) ->> ${column}::text)::int`
}

const neverEmpty: ReadonlySet<SystemField> = new Set(['eiRecordId', 'entityId', 'createdDate', 'modifiedDate'])

function canBeEmpty(field: Field): boolean {
  return !('system' in field && neverEmpty.has(field.system))
}

interface Term {
  readonly field: Field
  /** Empty ones are null. */
  readonly value: string
  /** The same, as it is compared. */
  readonly compared: string
  readonly direction: SortKey['direction']
}

function termsOf(parameters: Parameters, sort: readonly SortKey[]): Term[] {
  return sort.map(({ field, direction }) => {
    const value = sortSql(parameters, field)
    return { field, value, compared: collated(field, value), direction }
  })
}

/** The order of rows of which the first term is empty in none, where it says so. No index has its empty values last in both directions. */
function orderOf({ alias }: Source, terms: readonly Term[], isFirstFull = false): string {
  const ordered = terms.map(({ field, compared, direction }, index) =>
    (index === 0 && isFirstFull) || !canBeEmpty(field) ? `${compared} ${direction}` : `${compared} ${direction} nulls last`,
  )
  return [...ordered, `${alias}.id asc`].join(', ')
}

/** `order by` terms: empty values last in both directions, the id to break ties. */
export function orderSql(parameters: Parameters, source: Source, sort: readonly SortKey[]): string {
  return orderOf(source, termsOf(parameters, sort))
}

/** What a cursor keeps of a row: its sort values as text, then its id. */
export function positionSql(parameters: Parameters, { alias }: Source, sort: readonly SortKey[]): string {
  const parts = sort.map((key) => {
    const expression = sortSql(parameters, key.field)
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
  return `(${later}${canBeEmpty(term.field) ? ` or ${term.value} is null` : ''} or (${term.value} = ${value} and ${further}))`
}

/**
 * What comes after a position, as one range of the first term's values and one of its empty ones behind it. Each begins where an index on the term has
 * it: said as one chain of alternatives, PostgreSQL would walk to the place from the beginning of the index.
 */
export function rangesAfter(parameters: Parameters, source: Source, sort: readonly SortKey[], position: readonly unknown[]): Range[] {
  const id = `${source.alias}.id`
  const idThen = `${parameters.add(String(position.at(-1)))}::text::bigint`
  const terms = termsOf(parameters, sort)
  const then = terms.map(({ field }, index) => {
    const value = position[index]
    return typeof value === 'string' ? constantSql(`${parameters.add(value)}::text`, typeOfField(field)) : undefined
  })
  const [first, ...others] = terms
  const [value, ...otherValues] = then
  if (!first || value === undefined) {
    // All that is left has no value of the first term, or there is no term.
    return [{ condition: laterSql(terms, then, `${id} > ${idThen}`), order: orderOf(source, others) }]
  }
  const { compared, direction, field } = first
  const begin = `${compared} ${direction === 'asc' ? '>=' : '<='} ${value}`
  const within =
    others.length === 0 && direction === 'asc'
      ? `(${compared}, ${id}) > (${value}, ${idThen})`
      : `(${compared} ${direction === 'asc' ? '>' : '<'} ${value} or ${laterSql(others, otherValues, `${id} > ${idThen}`)})`
  const full = { condition: `${begin} and ${within}`, order: orderOf(source, terms, true) }
  return canBeEmpty(field) ? [full, { condition: `${first.value} is null`, order: orderOf(source, others) }] : [full]
}
