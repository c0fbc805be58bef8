/** Answers to what the form has ceased to ask since it was shown: whoever gave them is told of each, and keeps it. */
import type { ShownField, ShownForm } from '#tools/forms/links/shown-form.schema.ts'

import { isMarked, type Marks } from './marks.rules.ts'
import { readControlName } from './names.rules.ts'
import { type Entered, textsIn } from './typed.rules.ts'

/** An answer without a field. */
export interface Lost {
  /** Of its control. */
  readonly control: string
  readonly property: string
  /** What was typed; the name of a file that was chosen. */
  readonly text: string
}

/** A text of a record is no longer than that. */
const mostCharacters = 32_768
/** So many are told one by one. */
export const mostLost = 100

const plainField: ShownField = {
  property: '',
  name: '',
  dataType: 'Text',
  control: 'text',
  span: 12,
  isRequired: false,
  isReadOnly: false,
  isList: false,
  value: null,
}
/** What a field that is gone may have been, as far as its marks differ. */
const anyField: readonly ShownField[] = [
  plainField,
  { ...plainField, isList: true },
  { ...plainField, dataType: 'Choice', isList: true },
  { ...plainField, dataType: 'DateTime' },
  { ...plainField, dataType: 'DateTime', isList: true },
]

function* isAsShown(
  marks: Marks,
  control: string,
  given: readonly string[],
  known: ShownField | undefined,
  zone: string,
): Generator<void, boolean> {
  for (const field of known ? [known] : anyField)
    if (yield* isMarked(marks, control, yield* textsIn(field, given), field, zone)) return true
  return false
}

/** What stands in controls that the form has not any more, or shows only. What came back as it was shown is no answer. */
export function* findLost({ sections }: ShownForm, entered: Entered, zone: string, marks: Marks | undefined): Generator<void, Lost[]> {
  const fields = new Map(
    sections.flatMap(({ type, name, fields: some }) =>
      some.map((field) => [`${type === 'list' ? name : ''}:${field.property}`, field] as const),
    ),
  )
  const lost: Lost[] = []
  for (const [control, texts] of entered) {
    yield
    const { part, section = '', property } = readControlName(control) ?? {}
    const field = fields.get(`${section}:${property ?? ''}`)
    const isOfPerson = part === 'v' || part === 'n' || part === 'f'
    if (!isOfPerson || property === undefined || (field && !field.isReadOnly)) continue
    const given = texts.filter((text) => text.trim() !== '')
    if (given.length === 0) continue
    if (marks && (yield* isAsShown(marks, control, given, field, zone))) continue
    if (lost.length < mostLost) lost.push({ control, property: field?.name ?? property, text: given.join(', ').slice(0, mostCharacters) })
  }
  return lost
}
