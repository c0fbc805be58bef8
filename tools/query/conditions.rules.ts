/** Compiles the conditions of a query tree to SQL. Identifiers come from the catalog alone, values are always parameters. */
import { orderedCharacters } from '#platform/db/record-indexes.ts'
import type { Scalar } from '#tools/properties/service.ts'

import { constantSql, type Parameters } from './columns.rules.ts'
import { fieldSql, orderedSql, typeOfField } from './field.rules.ts'
import { fromSql, peersSql, rowsOf } from './source.rules.ts'
import type { Field, QueryNode, RelatedNode, RuleNode } from './tree.types.ts'

function likePattern(op: string, text: string): string {
  const plain = text.replaceAll(/[\\%_]/g, (special) => `\\${special}`)
  if (op === 'startsWith') return `${plain}%`
  if (op === 'endsWith') return `%${plain}`
  return `%${plain}%`
}

/** A positive comparison of one value; on a list it holds when any element does. */
function positiveSql(parameters: Parameters, rule: RuleNode, op: RuleNode['op']): string {
  const type = typeOfField(rule.field)
  const column = fieldSql(rule.field)
  const isList = 'property' in rule.field && rule.field.property.isList
  const param = (value: Scalar | undefined) => constantSql(`${parameters.add(String(value))}::text`, type)
  const isText = 'property' in rule.field && rule.field.dataType === 'Text'
  // Sorting and comparing put texts in one order.
  const placed = (one: string) => (isText ? orderedSql(rule.field, one) : one)
  const place = (value: Scalar | undefined) => (isText ? `left(${param(value)}, ${orderedCharacters})` : param(value))
  const compare = (one: string): string => {
    const [first, second] = rule.values
    switch (op) {
      case 'eq':
        return `${one} = ${param(first)}`
      case 'gt':
        return `${placed(one)} > ${place(first)}`
      case 'gte':
        return `${placed(one)} >= ${place(first)}`
      case 'lt':
        return `${placed(one)} < ${place(first)}`
      case 'lte':
        return `${placed(one)} <= ${place(first)}`
      case 'between':
        return `${placed(one)} between ${place(first)} and ${place(second)}`
      case 'in':
        return `${one} = any(array(select jsonb_array_elements_text(${parameters.add(JSON.stringify(rule.values.map(String)))}::text::jsonb)::${type}))`
      case 'contains':
      case 'startsWith':
      case 'endsWith':
        return `${one} ilike ${parameters.add(likePattern(op, String(first)))}::text`
      default:
        throw new Error(`${op} is not a positive comparison`)
    }
  }
  if (!isList) return compare(column)
  return `exists (select from unnest(${column}) as u(v) where ${compare('u.v')})`
}

function emptySql(field: Field): string {
  const column = fieldSql(field)
  return typeOfField(field) === 'text' && !('property' in field && field.property.isList)
    ? `(${column} is null or ${column} = '')`
    : `${column} is null`
}

function ruleSql(parameters: Parameters, rule: RuleNode): string {
  switch (rule.op) {
    case 'isEmpty':
      return emptySql(rule.field)
    case 'isNotEmpty':
      return `not (${emptySql(rule.field)})`
    // The negations hold for empty values, for which the comparison itself is neither true nor false.
    case 'ne':
      return `(${positiveSql(parameters, rule, 'eq')}) is not true`
    case 'notIn':
      return `(${positiveSql(parameters, rule, 'in')}) is not true`
    case 'notBetween':
      return `(${positiveSql(parameters, rule, 'between')}) is not true`
    case 'notContains':
      return `(${positiveSql(parameters, rule, 'contains')}) is not true`
    default:
      return positiveSql(parameters, rule, rule.op)
  }
}

/** That there is a record at the end of a way which fulfils a condition. */
function existsSql(parameters: Parameters, { from, source }: RelatedNode, way: RelatedNode['ways'][number], condition: string): string {
  const steps = [...way.through, source]
  if (way.link === 'child')
    return `exists (select from ${fromSql(parameters, source, `${source.alias}.parent_id = ${from.alias}.id`, condition)})`
  const opened = steps.map((step) => rowsOf(parameters, step))
  const froms = opened.map((rows) => rows.from)
  const joined = steps.map((step, index) => `${step.alias}.id = ${(steps[index - 1] ?? from).alias}.parent_id`)
  if (way.link === 'peer') {
    froms.unshift(`${peersSql(parameters, from)} l`)
    joined.splice(0, 1, `l.one = ${from.alias}.id`, `${source.alias}.id = l.other`)
  }
  const conditions = [...joined, ...opened.flatMap((rows) => rows.conditions), condition]
  return `exists (select from ${froms.join(', ')} where ${conditions.join(' and ')})`
}

/** PostgreSQL makes joins of these, which it plans well where they are few; two hundred took it seconds to order. What is `is true` it leaves where it stands. */
const maxJoined = 8

function relatedSql(parameters: Parameters, related: RelatedNode): string {
  // An entity whose table nobody has needed yet has no records. A condition that is not sent must not have added its parameters.
  const ways = related.ways.filter(({ through }) => [...through, related.source].every((step) => step.present.size > 0))
  if (ways.length === 0) return related.has === 'some' ? 'false' : 'true'
  const holds = filterSql(parameters, related.node)
  const condition = related.has === 'every' ? `(${holds}) is not true` : holds
  const found = ways.map((way) => existsSql(parameters, related, way, condition)).join(' or ')
  const isFound = related.nth > maxJoined ? `((${found}) is true)` : `(${found})`
  return related.has === 'some' ? isFound : `not ${isFound}`
}

/** A boolean expression; `true` for an empty group. */
export function filterSql(parameters: Parameters, node: QueryNode | undefined): string {
  if (!node) return 'true'
  if (node.kind === 'rule') return ruleSql(parameters, node)
  if (node.kind === 'related') return relatedSql(parameters, node)
  if (node.nodes.length === 0) return 'true'
  return `(${node.nodes.map((part) => filterSql(parameters, part)).join(node.logic === 'AND' ? ' and ' : ' or ')})`
}
