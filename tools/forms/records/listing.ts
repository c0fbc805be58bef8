/** Pages of records as a form reaches them. */
import { bodyText, rawJson, type RawJson } from '#platform/answer.ts'
import type { TxContext } from '#platform/operation.ts'
import { envelopeBytes } from '#platform/paging.ts'
import { type ListRequest, listRecords, readFrameOf } from '#tools/query/service.ts'

import { lockedOnWire, type OpenForm, shownProperties } from './opened.ts'

// Nothing fulfils it: what a token without a value leaves of a filter.
const nothing = [{ property: 'eiRecordId', op: 'isEmpty' }]

/** `further` narrows them, beside what the caller says: the filter of a shortcut; null where a token of it has no value. */
export async function listThroughForm(
  context: TxContext,
  { catalog, ready }: OpenForm,
  input: ListRequest,
  further: readonly unknown[] | null = [],
): Promise<RawJson> {
  const { entity, layout, within } = ready
  const { view } = layout
  const frame = await readFrameOf(context, catalog, entity)
  const lockedFields = JSON.stringify(lockedOnWire(ready.locked))
  const pageSize = input.pageSize ?? view?.pageSize ?? 50
  const request = {
    ...input,
    pageSize,
    sort: input.sort ?? view?.sort,
    columns: shownProperties(ready).map((property) => ({ name: property.internalName, property })),
    withDataJson: false,
  }
  const answerBytes = context.answerBytes - envelopeBytes - Buffer.byteLength(lockedFields)
  const filters = within && further ? [...within, ...further] : [nothing]
  const { items, nextCursor, totalCount, totalAtLeast } = await listRecords({ ...context, answerBytes }, frame, request, {
    within: filters,
  })
  const page = input.cursor === undefined ? (input.page ?? input.pageNumber ?? 1) : undefined
  const rest = JSON.stringify({ page, pageSize, nextCursor, totalCount, totalAtLeast })
  return rawJson(`{"records":${bodyText(items)},"lockedFields":${lockedFields},${rest.slice(1)}`)
}
