/** What operations answer of records that went through a form. */
import { rawJson, type RawJson } from '#platform/answer.ts'
import type { TxContext } from '#platform/operation.ts'
import { envelopeBytes } from '#platform/paging.ts'
import { blind, readFrameOf, readInHand, type ReadInHand } from '#tools/query/service.ts'

import { readOne, seenBy, showing, under, withId } from './around.ts'
import { lockedOnWire, type OpenForm, shownProperties } from './opened.ts'
import type { Saved, SavedList } from './saving.ts'

/** JSON text of an object with more fields behind its own. */
const withFields = (document: string, fields: Readonly<Record<string, string>>) =>
  `${document.slice(0, -1)}${Object.entries(fields)
    .map(([name, text]) => `,${JSON.stringify(name)}:${text}`)
    .join('')}}`

/** A saved record as its caller sees it; of one that they may write and not read, that it is there. */
async function savedDocument(context: TxContext, { ready }: OpenForm, { frame, id }: Saved): Promise<string> {
  const properties = shownProperties(ready)
  const seen = await readOne(context, seenBy(frame), id, [], properties)
  const read =
    seen ??
    (frame.access && (await readOne(context, { ...frame, sight: blind(frame.access, ready.entity.properties) }, id, [], properties)))
  if (!read) throw new Error('A saved record was not found')
  return read.document
}

const outcomeOf = ({ outcome, jobIds }: Saved): Record<string, string> => ({
  outcome: JSON.stringify(outcome),
  ...(jobIds.length > 0 ? { jobIds: JSON.stringify(jobIds) } : {}),
})

export async function answerSaved(context: TxContext, form: OpenForm, saved: Saved): Promise<RawJson> {
  context.audit({ eiRecordId: saved.id, outcome: saved.outcome })
  return rawJson(withFields(await savedDocument(context, form, saved), outcomeOf(saved)))
}

/** The saved rows of a list, each with what names it and tells its version, where its caller sees it. */
async function savedRows(context: TxContext, { plan, rows }: SavedList): Promise<object> {
  const ids = rows.map(({ id }) => id)
  const wanted = { filters: [withId(ids)], shown: showing([]), withValues: false, limit: ids.length, bytes: Number.MAX_SAFE_INTEGER }
  const { records } = ids.length === 0 ? { records: [] } : await readInHand(context, seenBy(plan.frame), wanted)
  const seen = new Map(records.map((one) => [one.id, one.document]))
  return {
    rows: rows.map(({ id, outcome }) => {
      // A document of a record has these.
      const { externalKey, rowHash } = JSON.parse(seen.get(id) ?? '{}') as { externalKey?: string; rowHash?: string }
      return { eiRecordId: id, ...(rowHash === undefined ? {} : { externalKey, rowHash }), outcome }
    }),
    deletedEIRecordIds: plan.deleted,
  }
}

export async function answerSavedMulti(context: TxContext, form: OpenForm, saved: Saved): Promise<RawJson> {
  const sections: Record<string, object> = {}
  for (const list of saved.lists) sections[list.plan.list.name] = await savedRows(context, list)
  const count = saved.lists.reduce((sum, { plan, rows }) => sum + rows.length + plan.deleted.length, 0)
  context.audit({ eiRecordId: saved.id, outcome: saved.outcome, rows: count })
  return rawJson(withFields(await savedDocument(context, form, saved), { ...outcomeOf(saved), sections: JSON.stringify(sections) }))
}

/** A record with the rows of the form's lists, as many as an answer takes. */
export async function answerRecord(context: TxContext, form: OpenForm, record: ReadInHand): Promise<RawJson> {
  const { ready, catalog, layoutVersion } = form
  const own = { layoutVersion: JSON.stringify(layoutVersion), lockedFields: JSON.stringify(lockedOnWire(ready.locked)) }
  let left = context.answerBytes - envelopeBytes - Buffer.byteLength(record.document) - Buffer.byteLength(own.lockedFields)
  const sections: string[] = []
  for (const list of ready.lists) {
    const { section, within } = list
    const frame = await readFrameOf(context, catalog, list.entity)
    const locked = JSON.stringify(lockedOnWire(list.locked))
    left -= Buffer.byteLength(locked) + 200
    const properties = list.entity.properties.filter((one) => section.columns.includes(one) || shownProperties(list).includes(one))
    const wanted = {
      filters: [under(record.id), ...(within ?? [])],
      sort: section.sort,
      shown: showing(properties),
      limit: section.max,
      bytes: Math.max(1, 2 * left),
    }
    const read = within ? await readInHand(context, frame, wanted) : { records: [], isCut: false }
    const rows: string[] = []
    for (const { document } of read.records) {
      left -= Buffer.byteLength(document) + 1
      if (left < 0) break
      rows.push(document)
    }
    const more = read.isCut || rows.length < read.records.length ? ',"hasMore":true' : ''
    sections.push(`${JSON.stringify(list.name)}:{"rows":[${rows.join(',')}],"lockedFields":${locked}${more}}`)
  }
  return rawJson(withFields(record.document, { ...own, sections: `{${sections.join(',')}}` }))
}
