/** What stands in the controls of a record, and what of it is sent. */

export type Value = string | number | boolean | readonly (string | number | boolean)[] | null

export interface DraftField {
  readonly name: string
  readonly type: string
  readonly isList: boolean
  readonly isReadOnly: boolean
}

/** As controls hold it: texts, one for each value. */
export type Draft = Readonly<Record<string, readonly string[]>>

export interface Zoned {
  readonly toLocal: (iso: string) => string
  readonly fromLocal: (local: string) => string | undefined
}

export function draftOf(fields: readonly DraftField[], data: Readonly<Record<string, unknown>>, { toLocal }: Zoned): Draft {
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const value = data[name]
      const all = value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]
      return [name, all.map((one) => (type === 'DateTime' ? toLocal(String(one)) : String(one)))]
    }),
  )
}

/** A number is read as people type it in this language's notation or the wire's; what is none goes as it is, and the API says what is wrong with it. */
function numberOf(text: string): number | string {
  const plain = /^-?\d+,\d+$/.test(text) ? text.replace(',', '.') : text
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : text
}

function valueOf({ type, isList }: DraftField, texts: readonly string[], { fromLocal }: Zoned): Value {
  const all = texts
    .map((text) => (type === 'Text' ? text : text.trim()))
    .filter((text) => text.trim() !== '')
    .map((text) => {
      if (type === 'Number' || type === 'Currency') return numberOf(text)
      if (type === 'Boolean') return text === 'true'
      return type === 'DateTime' ? (fromLocal(text) ?? text) : text
    })
  return isList ? all : (all[0] ?? null)
}

const same = (one: readonly string[] = [], other: readonly string[] = []) =>
  one.length === other.length && one.every((text, at) => text === other[at])

/** The fields in which two differ. */
export const differingIn = <Field extends DraftField>(fields: readonly Field[], one: Draft, other: Draft): readonly Field[] =>
  fields.filter(({ name }) => !same(one[name], other[name]))

/** What was typed stays; what nobody touched here is as the record holds it now. */
export function rebasedDraft(fields: readonly DraftField[], before: Draft, draft: Draft, now: Draft): Draft {
  const own = differingIn(fields, before, draft).map(({ name }) => [name, draft[name] ?? []] as const)
  return { ...now, ...Object.fromEntries(own) }
}

/** What differs from what the record held when it was opened, of the fields that are shown and may be written. What nobody touched is not sent. */
export function changesOf(fields: readonly DraftField[], before: Draft, now: Draft, zoned: Zoned): Record<string, Value> {
  return Object.fromEntries(
    fields
      .filter(({ name, isReadOnly }) => !isReadOnly && !same(before[name], now[name]))
      .map((field) => [field.name, valueOf(field, now[field.name] ?? [], zoned)]),
  )
}
