/** How what was typed is saved: by the form where one is used, with its rows where they changed, else as the record itself. */
import { api, dataOf, type once } from '../client.ts'
import type { Value } from './draft.rules.ts'
import type { Asked } from './forms.ts'
import type { RecordShown } from './record-page.tsx'
import type { SentList } from './rows.rules.ts'

// What the controls made is what the document calls values.
type Values = Record<string, string | number | boolean | (string | number | boolean)[] | null>

export interface Wish {
  readonly entity: string
  readonly asked: Asked
  /** Undefined: a new one. */
  readonly record: RecordShown | undefined
  readonly changes: Readonly<Record<string, Value>>
  /** Of a new record. */
  readonly beginning: { readonly key1?: string; readonly parentEIRecordId?: number }
  /** By the name of the list, those that changed. */
  readonly lists: Readonly<Record<string, SentList>>
  /** The same for the same wish, so that it counts once. */
  readonly headers: ReturnType<typeof once>
}

/** The id of the saved record. Throws a Refusal. */
export async function saveRecord(wish: Wish): Promise<number> {
  const { asked, lists, record } = wish
  if (asked.form === undefined) return saveByEntity(wish)
  const values = wish.changes as Values
  const { form, layoutVersion: expectedLayoutVersion } = asked
  if (Object.keys(lists).length > 0) {
    const sections = Object.fromEntries(
      Object.entries(lists).map(([name, { rows, deletedEIRecordIds }]) => [
        name,
        { rows: rows.map((row) => ({ ...row, values: row.values as Values })), deletedEIRecordIds: [...deletedEIRecordIds] },
      ]),
    )
    if (record === undefined) {
      const body = { primary: { ...wish.beginning, values }, sections, expectedLayoutVersion }
      const params = { path: { form } }
      return (await dataOf(api.POST('/api/v1/forms/{form}/records/multi', { params, body, headers: wish.headers }))).eiRecordId
    }
    const isChanged = Object.keys(values).length > 0
    const primary = isChanged ? { primary: { expectedRowHash: record.rowHash, values } } : {}
    const params = { path: { form, record: record.eiRecordId } }
    const body = { ...primary, sections, expectedLayoutVersion }
    return (await dataOf(api.POST('/api/v1/forms/{form}/records/multi/{record}', { params, body, headers: wish.headers }))).eiRecordId
  }
  if (record === undefined) {
    const body = { ...wish.beginning, expectedLayoutVersion, values }
    return (await dataOf(api.POST('/api/v1/forms/{form}/records', { params: { path: { form } }, body, headers: wish.headers }))).eiRecordId
  }
  const body = { expectedLayoutVersion, expectedRowHash: record.rowHash, values }
  const params = { path: { form, record: record.eiRecordId } }
  return (await dataOf(api.PUT('/api/v1/forms/{form}/records/{record}', { params, body }))).eiRecordId
}

async function saveByEntity(wish: Wish): Promise<number> {
  const { entity, record, changes, beginning } = wish
  const data = changes as Values
  if (record === undefined) {
    const body = { ...beginning, importMode: 'insertOnly' as const, data }
    const sent = api.POST('/api/v1/entities/{entity}/instances', { params: { path: { entity } }, body, headers: wish.headers })
    return (await dataOf(sent)).eiRecordId
  }
  const body = { expectedRowHash: record.rowHash, data }
  const params = { path: { entity, record: record.eiRecordId } }
  return (await dataOf(api.POST('/api/v1/entities/{entity}/instances/{record}', { params, body, headers: wish.headers }))).eiRecordId
}
