/** Asks a condition of a record in hand: the second reader of a query tree, which says of values what the compiled SQL says of rows. */
import { orderedCharacters } from '#platform/db/record-indexes.ts'
import { AppError } from '#platform/errors.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { SystemField } from '#tools/properties/operators.types.ts'
import type { Scalar, Value } from '#tools/properties/service.ts'

import type { Link } from './relations.rules.ts'
import type { Field, QueryNode, RelatedNode, RuleNode } from './tree.types.ts'

/** What a condition may ask of a record. What is not there is empty; values are canonical. */
export interface RecordInHand {
  readonly fields: Readonly<Partial<Record<SystemField, string | number | null>>>
  /** By entityPropertyId. */
  readonly values: ReadonlyMap<number, Value>
  /** The records at the end of one way from it; without it there are none. */
  readonly related?: (way: WayTo) => readonly RecordInHand[]
}

/** How much may be looked at: characters of texts, and some for each comparison. */
export interface Looking {
  left: number
}

const perComparison = 20

function look(looking: Looking, one: Scalar): void {
  looking.left -= perComparison + (typeof one === 'string' ? one.length : 0)
  if (looking.left < 0)
    throw new AppError('too_large', 'Conditions would look through too much text here. Send fewer records at a time, or shorter texts.')
}

/** One way from a record to records of an entity: `through` are the parents between, none where it is one step. */
export interface WayTo {
  readonly link: Link
  readonly through: readonly CatalogEntity[]
  readonly entity: CatalogEntity
}

// The database compares by the root of Unicode's collation, which is that of English.
const collator = new Intl.Collator('en')

/** Surrogates stand for characters beyond all others. */
const rankOf = (unit: number) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

function compareBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (a !== b) return rankOf(a) - rankOf(b)
  }
  return one.length - other.length
}

/** A text as far as it is put in order; an empty one has no place. */
function placed(text: string): string | undefined {
  const part =
    text.length <= orderedCharacters
      ? text
      : Array.from(text.slice(0, 2 * orderedCharacters))
          .slice(0, orderedCharacters)
          .join('')
  return part === '' ? undefined : part
}

/** A comparison, and the values that it takes. `hasWords`: texts are put in order as people read them, not by their bytes. */
export interface Comparing extends Pick<RuleNode, 'op' | 'values'> {
  readonly hasWords: boolean
}

/** Less than, equal to or greater than 0, as ordered operators have it; NaN where they hold neither way. Times in canonical form stand in the order of their texts. */
function compare(hasWords: boolean, one: Scalar, other: Scalar): number {
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other)
  if (!hasWords) return compareBytes(one, other)
  const [a, b] = [placed(one), placed(other) ?? '']
  // What the collation holds for equal and is not is told apart by its bytes.
  return a === undefined ? Number.NaN : collator.compare(a, b) || compareBytes(a, b)
}

/** Each character by itself, as the database has it: the two of which a language makes more are replaced beforehand. */
function inLowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3').toLowerCase()
}

function valueOf(field: Field, { fields, values }: RecordInHand): Value {
  if ('property' in field) return values.get(field.property.entityPropertyId) ?? null
  return ('system' in field ? fields[field.system] : undefined) ?? null
}

/** A positive comparison of one value. */
function compares({ hasWords, values }: Comparing, op: RuleNode['op'], one: Scalar): boolean {
  const [first = '', second = ''] = values
  switch (op) {
    case 'eq':
      return one === first
    case 'in':
      return values.includes(one)
    case 'gt':
      return compare(hasWords, one, first) > 0
    case 'gte':
      return compare(hasWords, one, first) >= 0
    case 'lt':
      return compare(hasWords, one, first) < 0
    case 'lte':
      return compare(hasWords, one, first) <= 0
    case 'between':
      return compare(hasWords, one, first) >= 0 && compare(hasWords, one, second) <= 0
    case 'contains':
      return inLowerCase(String(one)).includes(inLowerCase(String(first)))
    case 'startsWith':
      return inLowerCase(String(one)).startsWith(inLowerCase(String(first)))
    case 'endsWith':
      return inLowerCase(String(one)).endsWith(inLowerCase(String(first)))
    default:
      throw new Error(`${op} is not a positive comparison`)
  }
}

function ruleHolds({ field, op, values }: RuleNode, record: RecordInHand, looking: Looking): boolean {
  const hasWords = field.dataType === 'Text' && 'property' in field
  return valueHolds(valueOf(field, record), { op, values, hasWords }, looking)
}

/** Whether a value fulfils a comparison. Throws AppError `too_large` where it would look at more than it may. */
export function valueHolds(value: Value, rule: Comparing, looking: Looking): boolean {
  const isEmpty = value === null || value === ''
  // On a list it holds when any element does; the negations hold for empty values.
  const holdsFor = (op: RuleNode['op'], one: Scalar) => {
    look(looking, one)
    return compares(rule, op, one)
  }
  const holds = (op: RuleNode['op']) =>
    value !== null && (typeof value === 'object' ? value.some((one) => holdsFor(op, one)) : holdsFor(op, value))
  switch (rule.op) {
    case 'isEmpty':
      return isEmpty
    case 'isNotEmpty':
      return !isEmpty
    case 'ne':
      return !holds('eq')
    case 'notIn':
      return !holds('in')
    case 'notBetween':
      return !holds('between')
    case 'notContains':
      return !holds('contains')
    default:
      return holds(rule.op)
  }
}

function relatedHolds({ ways, source, has, node }: RelatedNode, { related }: RecordInHand, looking: Looking): boolean {
  const found = ways.flatMap((way) => related?.({ ...way, through: way.through.map((step) => step.entity), entity: source.entity }) ?? [])
  if (has === 'every') return found.every((one) => isFulfilled(node, one, looking))
  return found.some((one) => isFulfilled(node, one, looking)) === (has === 'some')
}

/** Whether a record fulfils a condition; every one fulfils none. Throws AppError `too_large` where it would look at more than it may. */
export function isFulfilled(node: QueryNode | undefined, record: RecordInHand, looking: Looking = { left: Infinity }): boolean {
  if (!node) return true
  if (node.kind === 'rule') return ruleHolds(node, record, looking)
  if (node.kind === 'related') return relatedHolds(node, record, looking)
  if (node.nodes.length === 0) return true
  const holds = (one: QueryNode) => isFulfilled(one, record, looking)
  return node.logic === 'AND' ? node.nodes.every(holds) : node.nodes.some(holds)
}
