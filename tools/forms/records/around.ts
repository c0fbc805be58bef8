/** What stands around the record of a form: the records above it, and the rows that it has. */
import { entityOfRecord } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import type { WriteFrame } from '#tools/instances/service.ts'
import { readFrameOf, type ReadFrame, readInHand, type ReadInHand } from '#tools/query/service.ts'

import { type Held, heldRecord } from './held.rules.ts'

const maxSteps = 7
const maxRows = 1_000
// What is read to be asked, and not to be shown.
const maxBytes = 2 * 1024 * 1024

export const withId = (ids: readonly number[]) => [{ property: 'eiRecordId', op: 'in', value: ids }]
export const under = (id: number) => [{ property: 'parentEIRecordId', op: 'eq', value: id }]

/** What its caller sees of what is to be written. */
export const seenBy = (frame: WriteFrame): ReadFrame => ({ ...frame, sight: frame.access })

export function noSuchRecordInForm(): AppError {
  return new AppError('not_found', 'No such record in this form. list_form_records shows those that it reaches.')
}

export function showing(properties: readonly CatalogProperty[]) {
  return { properties, withDataJson: false }
}

/** The record of this id, if all of these filters hold for it. */
export async function readOne(
  context: TxContext,
  frame: ReadFrame,
  id: number,
  filters: readonly unknown[],
  properties: readonly CatalogProperty[],
): Promise<ReadInHand | undefined> {
  const wanted = { filters: [withId([id]), ...filters], shown: showing(properties), limit: 1, bytes: context.answerBytes }
  const { records } = await readInHand(context, frame, wanted)
  return records[0]
}

/** A record and what it stands under, as the caller sees them: one that they do not see is not there. */
export async function readAbove(context: TxContext, catalog: Catalog, id: number | null | undefined, step = 0): Promise<Held | undefined> {
  if (id === null || id === undefined || step === maxSteps) return undefined
  const entityId = await entityOfRecord(context.tx, context.tenantId, id)
  const entity = catalog.byIdOrName.get(String(entityId))
  if (!entity) return undefined
  const read = await readOne(context, await readFrameOf(context, catalog, entity), id, [], [])
  if (!read) return undefined
  const parent = await readAbove(context, catalog, read.parentId, step + 1)
  return heldRecord({ entity, fields: read.fields, values: read.values, parent })
}

/** The children of a record that conditions of a form speak of. Throws 413 where they are more than conditions can be asked of. */
export async function readRowsAsked(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  id: number,
): Promise<readonly ReadInHand[]> {
  const frame = await readFrameOf(context, catalog, entity)
  const { records, isCut } = await readInHand(context, frame, { filters: [under(id)], shown: showing([]), limit: maxRows, bytes: maxBytes })
  if (!isCut) return records
  throw new AppError(
    'too_large',
    `A condition of the form asks about the rows of ${entity.internalName}, of which this record has more than can be asked. Save it by upsert_instance, or have the condition taken out of the form.`,
  )
}
