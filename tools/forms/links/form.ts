/** The form of a link, as whoever made the link reaches it. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { readFrameOf } from '#tools/query/service.ts'

import type { FormLayout } from '../layout.types.ts'
import { answerRecord } from '../records/answers.ts'
import { findNamed } from '../records/named.ts'
import { openForm, type OpenForm, shownProperties } from '../records/opened.ts'
import { placeOfForms } from '../shown.ts'
import type { Present } from './showing.ts'

export interface LinkForm extends OpenForm {
  readonly layout: FormLayout
  readonly description: string
}

async function read(context: TxContext, slot: IdOrName): Promise<LinkForm> {
  const form = await openForm(context, slot)
  // Found already, by the same caller.
  const { description } = await mustFindDefinition(context, placeOfForms, slot)
  return { ...form, layout: form.ready.layout, description }
}

/** What a body names and is not there is a mistake of the body. */
async function namedInBody<T>(field: string, find: () => Promise<T>): Promise<T> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    const issues = (error.issues ?? [finding(`$.${field}`, error.message)]).map((one) => ({ ...one, path: `$.${field}` }))
    throw new AppError('invalid_input', error.message, { issues, cause: error })
  }
}

/** The form that a call names in its body. Throws 400 with the nearest name. */
export function findFormOfLink(context: TxContext, slot: IdOrName): Promise<LinkForm> {
  return namedInBody('form', () => read(context, slot))
}

/** Its id, which a filter may name after the form is gone. */
export async function formIdOf(context: TxContext, slot: IdOrName): Promise<number> {
  const { id } = readIdOrName(slot)
  return id ?? (await namedInBody('form', () => mustFindDefinition(context, placeOfForms, slot))).definitionId
}

/** The form of a link that was made. Throws 403 where it is gone, or not its maker's to use any more. */
export async function formOfLink(context: TxContext, formId: number): Promise<LinkForm> {
  try {
    return await read(context, formId)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    throw new AppError('forbidden', 'The form of the link is gone, or no longer its maker’s to use. Ask them for a new one.', {
      cause: error,
    })
  }
}

async function find(context: TxContext, form: LinkForm, eiRecordId: number) {
  const frame = await readFrameOf(context, form.catalog, form.ready.entity)
  return findNamed(context, form, frame, eiRecordId, shownProperties(form.ready))
}

/** Throws 400 where the form does not reach the record for this caller. */
export async function mustReachRecord(context: TxContext, form: LinkForm, eiRecordId: number): Promise<void> {
  await namedInBody('eiRecordId', () => find(context, form, eiRecordId))
}

interface ReadRecord {
  readonly data: Record<string, unknown>
  readonly sections: Record<string, { readonly rows: readonly { readonly eiRecordId: number; readonly data: Record<string, unknown> }[] }>
}

/** What the record holds, with the rows of the form's lists. Throws 404. */
export async function presentOf(context: TxContext, form: LinkForm, eiRecordId: number): Promise<Present> {
  const { text } = await answerRecord(context, form, await find(context, form, eiRecordId))
  // As get_form_record answers it.
  const { data, sections } = JSON.parse(text) as ReadRecord
  const rows = Object.entries(sections).map(([name, section]) => {
    return [name, section.rows.map((row) => ({ eiRecordId: row.eiRecordId, values: row.data }))] as const
  })
  return { values: data, rows: new Map(rows) }
}
