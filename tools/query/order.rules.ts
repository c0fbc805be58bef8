/** Compiles the order of records, a row's place in it, and what comes after a place. */
import { constantSql, isoSql, type Parameters } from './columns.rules.ts'
import { fieldSql, typeOfField } from './field.rules.ts'
import type { Source } from './source.rules.ts'
import type { Field, SortKey } from './tree.types.ts'

/** A cursor holds what a row was sorted by, and has to fit into a header. */
const sortedCharacters = 200

/**
 * What rows are sorted by: options in the order that the property gives them, deleted ones after the others; texts by how they begin, where an empty
 * one is none, as isEmpty has it; anything else by its value.
 */
function sortSql(parameters: Parameters, field: Field): string {
  const column = fieldSql(field)
  if (field.dataType === 'Text') return 'property' in field ? `left(nullif(${column}, ''), ${sortedCharacters})` : `nullif(${column}, '')`
  if (!('property' in field) || (field.dataType !== 'Choice' && field.dataType !== 'Hierarchy')) return column
  const ranked = [...field.property.options, ...(field.property.retiredOptions ?? [])]
  const ranks = JSON.stringify(Object.fromEntries(ranked.map((option, rank) => [option.optionId, rank])))
  return `((select ${parameters.add(ranks)}::text::jsonb) ->> ${column}::text)::int`
}

/** People's order for text properties; keys stay in byte order, as they are compared. */
function collated(field: Field, expression: string): string {
  return 'property' in field && field.dataType === 'Text' ? `${expression} collate "unicode"` : expression
}

/** `order by` terms: empty values last in both directions, the id to break ties. */
export function orderSql(parameters: Parameters, { alias }: Source, sort: readonly SortKey[]): string {
  const terms = sort.map((key) => `${collated(key.field, sortSql(parameters, key.field))} ${key.direction} nulls last`)
  return [...terms, `${alias}.id asc`].join(', ')
}

/** What a cursor keeps of a row: its sort values as text, then its id. */
export function positionSql(parameters: Parameters, { alias }: Source, sort: readonly SortKey[]): string {
  const parts = sort.map((key) => {
    const expression = sortSql(parameters, key.field)
    return typeOfField(key.field) === 'timestamptz' ? isoSql(expression) : `(${expression})::text`
  })
  return `json_build_array(${[...parts, `${alias}.id::text`].join(', ')})`
}

/** The rows after a position in this order: equal so far and then later, term by term, empty values being the last of each. */
export function afterSql(parameters: Parameters, { alias }: Source, sort: readonly SortKey[], position: readonly unknown[]): string {
  const equal: string[] = []
  const alternatives: string[] = []
  sort.forEach((key, index) => {
    const column = sortSql(parameters, key.field)
    const value = position[index]
    if (typeof value === 'string') {
      const param = constantSql(`${parameters.add(value)}::text`, typeOfField(key.field))
      const later = `(${collated(key.field, column)} ${key.direction === 'asc' ? '>' : '<'} ${param} or ${column} is null)`
      alternatives.push(`(${[...equal, later].join(' and ')})`)
      equal.push(`${column} = ${param}`)
    } else equal.push(`${column} is null`)
  })
  alternatives.push(`(${[...equal, `${alias}.id > ${parameters.add(String(position.at(-1)))}::text::bigint`].join(' and ')})`)
  return `(${alternatives.join(' or ')})`
}
