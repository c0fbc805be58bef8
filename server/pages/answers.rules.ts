/** Between the texts that stand in a form's controls and the values of its record. */
import { losesValue } from '#platform/json-scan.ts'
import type { ShownField, ShownForm, ShownSection } from '#tools/forms/links/shown-form.schema.ts'

import { fromLocal, toLocal } from './local-time.rules.ts'
import { controlName, type Place, readControlName } from './names.rules.ts'

export type Entered = ReadonlyMap<string, readonly string[]>

/** What is wrong with one answer. */
export interface Problem {
  readonly place: Place
  readonly property: string
  readonly kind: 'missing' | 'noNumber' | 'tooPrecise' | 'tooSmall' | 'tooLarge' | 'tooShort' | 'tooLong' | 'tooMany' | 'other'
  readonly limit?: number
  /** Of another kind: what the server said. */
  readonly message?: string
}

export interface Row {
  readonly eiRecordId?: number
  readonly values: Record<string, unknown>
}

/** As submit_signed_link takes it. */
export interface Answer {
  readonly values: Record<string, unknown>
  readonly sections: Record<string, { rows: Row[]; deletedEIRecordIds: number[] }>
}

/** By section, the numbers on the page of rows. */
export type RowNumbers = ReadonlyMap<string, readonly number[]>

const isFile = ({ dataType }: ShownField) => dataType === 'Attachment' || dataType === 'Signature' || dataType === 'Binary'
const isOneALine = ({ isList, dataType }: ShownField) => isList && !['Choice', 'Hierarchy', 'Boolean'].includes(dataType)

function textOf(value: unknown, { dataType }: ShownField, zone: string): string {
  if (value === null || value === undefined) return ''
  if (dataType === 'DateTime' && typeof value === 'string') return toLocal(value, zone)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function textsOfValue(value: unknown, field: ShownField, zone: string): string[] {
  return (Array.isArray(value) ? value : [value]).map((one) => textOf(one, field, zone)).filter((text) => text !== '')
}

function* enter(
  entered: Map<string, string[]>,
  fields: readonly ShownField[],
  values: Readonly<Record<string, unknown>>,
  place: Place,
  zone: string,
): Generator<void, void> {
  for (const field of fields) {
    yield
    entered.set(controlName(isFile(field) ? 'a' : 'v', place, field.property), textsOfValue(values[field.property], field, zone))
  }
}

/** What the controls show before anybody typed. */
export function* presentAnswers({ sections }: ShownForm, zone: string): Generator<void, Map<string, string[]>> {
  const entered = new Map<string, string[]>()
  for (const { type, name, fields, rows = [], minRows = 0 } of sections) {
    if (type === 'detail') {
      yield* enter(entered, fields, Object.fromEntries(fields.map(({ property, value }) => [property, value])), {}, zone)
      continue
    }
    for (const [row, { eiRecordId, values }] of rows.entries()) {
      const place = { section: name, row }
      entered.set(controlName('i', place), [String(eiRecordId)])
      yield* enter(entered, fields, values, place, zone)
    }
    for (let row = rows.length; row < minRows; row++) yield* startRow(entered, { name, fields }, row, zone)
  }
  return entered
}

/** Adds an empty row, with the defaults of its fields. */
export function* startRow(
  entered: Map<string, string[]>,
  { name, fields }: Pick<ShownSection, 'name' | 'fields'>,
  row: number,
  zone: string,
): Generator<void, void> {
  const defaults = Object.fromEntries(fields.map(({ property, value }) => [property, value]))
  yield* enter(entered, fields, defaults, { section: name, row }, zone)
}

/** The rows of each section that stand in the form, by their numbers. */
export function* rowsIn(entered: Entered): Generator<void, RowNumbers> {
  const found = new Map<string, Set<number>>()
  for (const name of entered.keys()) {
    yield
    const { section, row } = readControlName(name) ?? {}
    if (section === undefined || row === undefined) continue
    const rows = found.get(section) ?? new Set()
    found.set(section, rows.add(row))
  }
  return new Map(Array.from(found, ([section, rows]) => [section, [...rows].sort((one, other) => one - other)]))
}

interface Read {
  readonly value: unknown
  readonly problem?: Pick<Problem, 'kind' | 'limit'>
}

function readNumber(text: string, { minimum, maximum }: ShownField): Read {
  const plain = text.trim().replace(',', '.').replace(/^\+/, '')
  if (!/^-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?$/i.test(plain)) return { value: text, problem: { kind: 'noNumber' } }
  // Another number than the one that was typed is never kept for it.
  if (losesValue(plain)) return { value: text, problem: { kind: 'tooPrecise', limit: 15 } }
  const value = Number(plain)
  if (minimum !== undefined && value < minimum) return { value, problem: { kind: 'tooSmall', limit: minimum } }
  if (maximum !== undefined && value > maximum) return { value, problem: { kind: 'tooLarge', limit: maximum } }
  return { value }
}

/** A browser sends line ends as the wire of mail has them, whichever stood there. */
const withPlainEnds = (text: string) => text.replaceAll(/\r\n?/g, '\n')

function readOne(text: string, field: ShownField, zone: string): Read {
  switch (field.dataType) {
    case 'Number':
    case 'Currency':
      return readNumber(text, field)
    case 'Boolean':
      return { value: text === 'true' }
    case 'DateTime':
      return { value: fromLocal(text, zone) ?? text }
    case 'Text': {
      const value = withPlainEnds(text)
      if (field.minimum !== undefined && value.length < field.minimum) return { value, problem: { kind: 'tooShort', limit: field.minimum } }
      if (field.maxLength !== undefined && value.length > field.maxLength)
        return { value, problem: { kind: 'tooLong', limit: field.maxLength } }
      return { value }
    }
    default:
      return { value: text }
  }
}

/** Values of one list; a form that holds more was not filled in by hand. */
const mostValues = 1_000

interface Reading {
  readonly entered: Entered
  readonly zone: string
  readonly problems: Problem[]
}

/** What was typed in a field: the first of it where one value is asked for, else as far as a list goes, and one more where it goes beyond. */
function* textsIn(field: ShownField, entered: readonly string[]): Generator<void, string[]> {
  const most = field.isList ? mostValues + 1 : 1
  const found: string[] = []
  for (const whole of entered) {
    const lines = isOneALine(field) && !isFile(field) ? whole.matchAll(/[^\r\n]+/g) : [[whole]]
    for (const [text] of lines) {
      yield
      if (text.trim() !== '') found.push(text)
      if (found.length === most) return found
    }
  }
  return found
}

/** Whether this is what the control of the value sends back where nobody touched it: it knows neither seconds nor the end of a list's element. */
function* isUntouched(texts: readonly string[], stood: unknown, field: ShownField, zone: string): Generator<void, boolean> {
  const shown = yield* textsIn(field, textsOfValue(stood, field, zone))
  if (shown.length !== texts.length) return false
  for (const [at, text] of texts.entries()) {
    yield
    if (withPlainEnds(text) !== withPlainEnds(shown[at] ?? '')) return false
  }
  return true
}

/** The values of one record. An empty answer is left out where nothing stood, and clears what stood. */
function* readRecord(
  fields: readonly ShownField[],
  place: Place,
  present: Readonly<Record<string, unknown>>,
  isSure: boolean,
  { entered, zone, problems }: Reading,
): Generator<void, Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    yield
    if (field.isReadOnly) continue
    const { property } = field
    const stood = present[property]
    const texts = yield* textsIn(field, entered.get(controlName(isFile(field) ? 'a' : 'v', place, property)) ?? [])
    if (texts.length === 0) {
      const wasEmpty = stood === null || stood === undefined || (Array.isArray(stood) && stood.length === 0)
      if (!wasEmpty) values[property] = null
      // Whether a field that depends on others is asked for at all is the server's to say.
      if (field.isRequired && isSure && field.visibleWhen === undefined) problems.push({ place, property, kind: 'missing' })
      continue
    }
    if (texts.length > mostValues) {
      problems.push({ place, property, kind: 'tooMany', limit: mostValues })
      continue
    }
    if (yield* isUntouched(texts, stood, field, zone)) {
      values[property] = stood
      continue
    }
    const read: Read[] = []
    for (const text of texts) {
      read.push(readOne(text, field, zone))
      yield
    }
    const wrong = read.find(({ problem }) => problem !== undefined)?.problem
    if (wrong) problems.push({ place, property, ...wrong })
    values[property] = field.isList ? read.map(({ value }) => value) : read[0]?.value
  }
  return values
}

/** The answer that stands in the controls, and what can be said of it without asking. */
export function* readAnswer(
  { sections }: ShownForm,
  entered: Entered,
  zone: string,
): Generator<void, { answer: Answer; problems: Problem[]; sent: RowNumbers }> {
  const sent = new Map<string, number[]>()
  const rows = yield* rowsIn(entered)
  const problems: Problem[] = []
  const reading = { entered, zone, problems }
  const values: Record<string, unknown> = {}
  const lists: Answer['sections'] = {}
  for (const section of sections) {
    const { type, name, fields, visibleWhen } = section
    const isSure = visibleWhen === undefined
    if (type === 'detail') {
      const present = Object.fromEntries(fields.map(({ property, value }) => [property, value]))
      Object.assign(values, yield* readRecord(fields, {}, present, isSure, reading))
      continue
    }
    const known = new Map((section.rows ?? []).map((row) => [row.eiRecordId, row.values]))
    const list: Answer['sections'][string] = { rows: [], deletedEIRecordIds: [] }
    const numbers: number[] = []
    for (const row of rows.get(name) ?? []) {
      yield
      const place = { section: name, row }
      const id = Number(entered.get(controlName('i', place))?.[0] ?? Number.NaN)
      const eiRecordId = known.has(id) ? id : undefined
      if (entered.get(controlName('d', place))?.[0] === 'yes') {
        if (eiRecordId !== undefined) list.deletedEIRecordIds.push(eiRecordId)
        continue
      }
      if (eiRecordId === undefined && isBlank(section, place, entered)) continue
      if (eiRecordId === undefined ? section.allowAdd === false : section.allowEdit === false) continue
      const own = yield* readRecord(fields, place, (eiRecordId === undefined ? undefined : known.get(eiRecordId)) ?? {}, isSure, reading)
      numbers.push(row)
      list.rows.push({ ...(eiRecordId === undefined ? {} : { eiRecordId }), values: own })
    }
    if (numbers.length > 0) sent.set(name, numbers)
    if (list.rows.length > 0 || list.deletedEIRecordIds.length > 0) lists[name] = list
  }
  return { answer: { values, sections: lists }, problems, sent }
}

/** A row that was begun by nobody. */
function isBlank({ fields }: ShownSection, place: Place, entered: Entered): boolean {
  return fields.every(({ property, value, isList, ...field }) => {
    const texts = (['v', 'a', 'n'] as const).flatMap((part) => entered.get(controlName(part, place, property)) ?? [])
    const given = texts.filter((text) => text.trim() !== '')
    return given.length === 0 || (value !== null && value !== undefined && !isFile({ property, value, isList, ...field }))
  })
}

/** What the server found, as problems of the fields that it is about. */
export function problemsOf(
  issues: readonly { readonly path: string; readonly message: string }[],
  answer: Answer,
  sent: RowNumbers,
): {
  problems: Problem[]
  others: string[]
} {
  const problems: Problem[] = []
  const others: string[] = []
  for (const { path, message } of issues) {
    const inRow = /sections\.(\w+)\.rows\[(\d+)\](?:\.values)?\.(\w+)/.exec(path)
    const whole = inRow ? null : /(?:^|\.)values\.(\w+)/.exec(path)
    const property = inRow?.[3] ?? whole?.[1]
    if (property === undefined) {
      others.push(message)
      continue
    }
    const section = inRow?.[1]
    const at = Number(inRow?.[2] ?? 0)
    const place = section === undefined ? {} : { section, row: sent.get(section)?.[at] ?? at }
    const value = section === undefined ? answer.values[property] : answer.sections[section]?.rows[at]?.values[property]
    const isEmpty = value === undefined || value === null || value === ''
    problems.push({ place, property, ...(isEmpty ? { kind: 'missing' } : { kind: 'other', message }) })
  }
  return { problems, others }
}
