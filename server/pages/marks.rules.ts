/** What controls of a record stood at when they were shown: an answer that comes back as it was shown is nobody's, and undoes no change made meanwhile. */
import { createHash } from 'node:crypto'

import type { ShownField, ShownForm } from '#tools/forms/links/shown-form.schema.ts'

import { fromLocal } from './local-time.rules.ts'
import { controlName, type Place } from './names.rules.ts'
import { type Entered, isFile, textsIn, withPlainEnds } from './typed.rules.ts'

/** By the name of the control. One that was shown empty has none. */
export type Marks = ReadonlyMap<string, string>

/** Of one part of them; a field of a form takes no more than a few times as much. */
const mostCharacters = 64 * 1024

/** The same whatever zone a time was shown in. */
function markOf(texts: readonly string[], { dataType }: ShownField, zone: string): string {
  const plain = texts.map((text) => (dataType === 'DateTime' ? (fromLocal(text, zone)?.slice(0, 16) ?? text) : withPlainEnds(text)))
  return createHash('sha256').update(JSON.stringify(plain)).digest('base64url').slice(0, 12)
}

const nameOf = (field: ShownField, place: Place) => controlName(isFile(field) ? 'a' : 'v', place, field.property)

/** The fields of records that the page shows; what is begun with it has nothing that could change meanwhile. */
function* fieldsOfRecords({ sections, mode }: ShownForm): Generator<{ readonly field: ShownField; readonly place: Place }> {
  for (const { type, name: section, fields, rows = [] } of sections) {
    if (type === 'detail' && mode === 'update') for (const field of fields) yield { field, place: {} }
    if (type === 'list') for (const row of rows.keys()) for (const field of fields) yield { field, place: { section, row } }
  }
}

/** What the page brings along, in parts. */
export function* printMarks(form: ShownForm, shown: Entered, zone: string): Generator<void, string[]> {
  const parts = ['']
  for (const { field, place } of fieldsOfRecords(form)) {
    const name = nameOf(field, place)
    const texts = yield* textsIn(field, shown.get(name) ?? [])
    yield
    if (texts.length === 0) continue
    const mark = `${name}=${markOf(texts, field, zone)} `
    const last = parts.at(-1) ?? ''
    if (last.length + mark.length > mostCharacters) parts.push(mark)
    else parts[parts.length - 1] = last + mark
  }
  return parts
}

/** What came back of it; undefined where the page brought nothing along. */
export function readMarks(parts: readonly string[]): Marks | undefined {
  if (parts.length === 0) return undefined
  const said = parts.flatMap((part) => part.split(' ')).map((one) => one.split('='))
  return new Map(said.map(([name = '', mark = '']) => [name, mark]))
}

/** Whether this is what the control was shown with. */
export function* isMarked(marks: Marks, name: string, texts: readonly string[], field: ShownField, zone: string): Generator<void, boolean> {
  yield
  const mark = marks.get(name)
  return texts.length === 0 || mark === undefined ? texts.length === 0 && mark === undefined : mark === markOf(texts, field, zone)
}

/** The same of all controls of a row. */
export function* isRowMarked(
  marks: Marks,
  fields: readonly ShownField[],
  place: Place,
  entered: Entered,
  zone: string,
): Generator<void, boolean> {
  for (const field of fields) {
    const name = nameOf(field, place)
    const texts = yield* textsIn(field, entered.get(name) ?? [])
    if (!field.isReadOnly && !(yield* isMarked(marks, name, texts, field, zone))) return false
  }
  return true
}
