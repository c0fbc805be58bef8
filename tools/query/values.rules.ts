/** What the values of a rule, or of a cursor, mean for a field. */
import { hasForbiddenCharacter } from '#platform/json.ts'
import { noPatterns } from '#platform/patterns.ts'
import { quoted } from '#platform/suggest.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'
import type { Operator } from '#tools/properties/operators.types.ts'
import { checkValue, type Scalar, type ValueRules } from '#tools/properties/service.ts'

import { propertyOf } from './field.rules.ts'
import { type Clock, isDay, isTimeWord, meaningOf, nearestTimeWord, type Span, wholeDay } from './moments.rules.ts'
import type { Comparison, Field, RuleNode, SortKey } from './tree.types.ts'

const maxInValues = 1_000
export const maxDays = 500

/** Notes what is wrong with a value. */
type Say = (path: string, message: string, suggestion?: string) => undefined

/** A filter value is checked by type alone: looking for a value that the property would now refuse is no mistake. */
function lenient(field: Field): ValueRules {
  return {
    dataType: field.dataType,
    isList: false,
    minValueOrLength: null,
    maxValueOrLength: null,
    maxDecimalPlaces: null,
    regEx: null,
    options: propertyOf(field)?.options ?? [],
    optionFilter: null,
    isByInternalName: true,
  }
}

/** What reading values is given beside them. */
export interface Reading {
  readonly say: Say
  /** What time it is, and where, for the caller. */
  readonly clock: () => Clock
  /** Whether one day more may be held against times. */
  readonly mayTakeDay: () => boolean
}

/** A value, or the whole of a day. */
type Part = Scalar | Span

const isSpan = (part: Part): part is Span => typeof part === 'object'

/** The comparison that a rule makes; undefined where a value is wrong. */
export function readComparison(field: Field, op: Operator, value: unknown, path: string, reading: Reading): Comparison | undefined {
  const parts = readParts(field, op, value, path, reading)
  if (!parts) return undefined
  const rule = (made: RuleNode['op'], values: readonly Scalar[]): RuleNode => ({ kind: 'rule', field, op: made, values })
  const [first, second] = parts
  const property = propertyOf(field)
  if (op === 'under') return rule('in', property ? parts.flatMap((one) => (isSpan(one) ? [] : optionsUnder(property, one))) : [])
  const scalars = parts.flatMap((part) => (isSpan(part) ? [] : [part]))
  if (scalars.length === parts.length) return rule(op, scalars)
  const begin = (part: Part): Scalar => (isSpan(part) ? part.begin : part)
  const end = (part: Part): Scalar => (isSpan(part) ? part.end : part)
  if (op === 'between' && first !== undefined && second !== undefined) return rule('between', [begin(first), end(second)])
  if (first !== undefined && (op === 'gte' || op === 'lt')) return rule(op, [begin(first)])
  if (first !== undefined && (op === 'gt' || op === 'lte')) return rule(op, [end(first)])
  const isPositive = op === 'eq' || op === 'in'
  const spans = parts.filter(isSpan).map((span) => rule(isPositive ? 'between' : 'notBetween', [span.begin, span.end]))
  const others = scalars.length === 0 ? [] : [rule(isPositive ? 'in' : 'notIn', scalars)]
  return { kind: 'group', logic: isPositive ? 'OR' : 'AND', nodes: [...others, ...spans] }
}

/** The values of a rule, canonical; undefined where one is wrong. */
function readParts(field: Field, op: Operator, value: unknown, path: string, reading: Reading): readonly Part[] | undefined {
  const { say } = reading
  if (op === 'isEmpty' || op === 'isNotEmpty') return value === undefined || value === null ? [] : say(path, `${op} takes no value.`)
  if (op === 'in' || op === 'notIn' || op === 'between') {
    if (op === 'between' && (!Array.isArray(value) || value.length !== 2))
      return say(path, `between takes [from, to], got ${quoted(value)}.`)
    if (!Array.isArray(value) || value.length === 0) return say(path, `${op} takes an array of one or more values, got ${quoted(value)}.`)
    if (value.length > maxInValues) return say(path, `At most ${maxInValues} values.`)
    const parts = value.map((element, index) => readValue(field, element, `${path}[${index}]`, reading))
    return parts.some((part) => part === undefined) ? undefined : parts.filter((part) => part !== undefined)
  }
  const one = readValue(field, value, path, reading)
  return one === undefined ? undefined : [one]
}

function readValue(field: Field, raw: unknown, path: string, reading: Reading): Part | undefined {
  const { say } = reading
  if (raw === null || raw === undefined) return say(path, 'A value is required. Use isEmpty or isNotEmpty to look for none.')
  // Keys are compared as bytes: what normalising makes of a text would look for another key.
  if ('system' in field && field.dataType === 'Text' && typeof raw === 'string' && !hasForbiddenCharacter(raw)) return raw
  const { dataType } = field
  if (typeof raw === 'string' && (dataType === 'DateTime' || dataType === 'DateOnly')) {
    const isWord = isTimeWord(raw)
    if (isWord || (dataType === 'DateTime' && isDay(raw))) {
      // Where a day begins is looked up in the rules of its zone, which takes a while for thousands of them.
      if (!reading.mayTakeDay()) return say(path, `At most ${maxDays} days and words for time in a filter. Use between for a range.`)
      const meaning = isWord ? meaningOf(raw, dataType, reading.clock()) : wholeDay(raw, reading.clock())
      return meaning ?? say(path, `${quoted(raw)} leads out of the years 1 to 9999.`)
    }
  }
  const checked = checkValue(lenient(field), raw, noPatterns)
  if ('problem' in checked) {
    const isTime = dataType === 'DateTime' || dataType === 'DateOnly'
    const word = isTime && typeof raw === 'string' ? nearestTimeWord(raw) : undefined
    return say(
      path,
      isTime ? `${checked.problem} Words such as today, startOfMonth and -7d serve too.` : checked.problem,
      word ?? checked.suggestion,
    )
  }
  if ('system' in field && dataType === 'Number' && !Number.isSafeInteger(checked.value))
    return say(path, `Expected an id, got ${quoted(raw)}.`)
  // Not a list and not null: lenient() is neither, and null was refused above.
  return checked.value as Scalar
}

/** An option and all below it, deleted ones too, which records may still hold. */
function optionsUnder({ options, retiredOptions = [] }: CatalogProperty, optionId: Scalar): Scalar[] {
  const below = new Map<number | null, number[]>()
  for (const option of [...options, ...retiredOptions]) {
    const siblings = below.get(option.parentOptionId) ?? []
    siblings.push(option.optionId)
    below.set(option.parentOptionId, siblings)
  }
  const found = new Set<Scalar>([optionId])
  for (const one of found) for (const child of below.get(Number(one)) ?? []) found.add(child)
  return [...found]
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
