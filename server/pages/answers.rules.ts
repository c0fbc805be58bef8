/** Between the texts that stand in a form's controls and the values of its record. */
import { losesValue } from '#platform/json-scan.ts'
import type { ShownField, ShownForm, ShownSection } from '#tools/forms/links/shown-form.schema.ts'

import { fromLocal, toLocal } from './local-time.rules.ts'
import { isMarked, isRowMarked, type Marks } from './marks.rules.ts'
import { controlName, type Place, readControlName } from './names.rules.ts'
import { type Entered, isFile, mostValues, textsIn, withPlainEnds } from './typed.rules.ts'

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

interface Reading {
  readonly entered: Entered
  readonly zone: string
  readonly problems: Problem[]
  /** Undefined: the page does not say what it had shown. */
  readonly marks: Marks | undefined
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
  { entered, zone, problems, marks }: Reading,
): Generator<void, Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    yield
    if (field.isReadOnly) continue
    const { property } = field
    const stood = present[property]
    const name = controlName(isFile(field) ? 'a' : 'v', place, property)
    const texts = yield* textsIn(field, entered.get(name) ?? [])
    const wasEmpty = stood === null || stood === undefined || (Array.isArray(stood) && stood.length === 0)
    // Nobody touched it here: what somebody else has changed since the page was opened stays, though not where an answer is needed and none is left.
    if (marks && !(wasEmpty && field.isRequired) && (yield* isMarked(marks, name, texts, field, zone))) {
      if (!wasEmpty) values[property] = stood
      continue
    }
    if (texts.length === 0) {
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
  { sections, mode }: ShownForm,
  entered: Entered,
  zone: string,
  marks?: Marks,
): Generator<void, { answer: Answer; problems: Problem[]; sent: RowNumbers }> {
  const sent = new Map<string, number[]>()
  const rows = yield* rowsIn(entered)
  const problems: Problem[] = []
  const reading = { entered, zone, problems, marks }
  const values: Record<string, unknown> = {}
  const lists: Answer['sections'] = {}
  for (const section of sections) {
    const { type, name, fields, visibleWhen } = section
    const isSure = visibleWhen === undefined
    if (type === 'detail') {
      const present = Object.fromEntries(fields.map(({ property, value }) => [property, value]))
      const ofRecord = { ...reading, marks: mode === 'update' ? marks : undefined }
      Object.assign(values, yield* readRecord(fields, {}, present, isSure, ofRecord))
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
      const present = eiRecordId === undefined ? undefined : known.get(eiRecordId)
      // Its record was deleted since the page was opened, and nobody had anything to say of it here.
      if (!present && marks && !Number.isNaN(id) && (yield* isRowMarked(marks, fields, place, entered, zone))) continue
      const own = yield* readRecord(fields, place, present ?? {}, isSure, { ...reading, marks: present && marks })
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
