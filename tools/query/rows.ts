/** All records of a query, one after the other, as they are at one moment: for what is too large for a page. */
import { inRecords } from '#platform/db/records.ts'
import type { TxContext } from '#platform/operation.ts'
import { mapInTurns } from '#platform/turns.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'

import { type ShownColumn, showing } from './document.rules.ts'
import { systemTypes } from './field.rules.ts'
import type { ReadFrame } from './frame.ts'
import { conjunctionOf, queryOf } from './pages.ts'
import { countRows, fetchRows, listIds, listValues, openRows } from './read.store.ts'
import { openSource } from './source.rules.ts'

export interface RowsRequest {
  /** What each row has, in this order. */
  readonly columns: readonly ShownColumn[]
  /** Each as a list takes it; a record fulfils all of them. */
  readonly filters: readonly unknown[]
  readonly sort: unknown
}

const batchBytes = 1024 * 1024
const batchAtMost = 2_000
// Of records whose size nobody knows yet.
const firstBatch = 100

/**
 * Batches of rows, each the JSON text of an object by column. The transaction stays open meanwhile, and reads nothing else. About a megabyte is held at
 * a time, whatever the rows take: each batch has as many as would have fitted of the last.
 */
export async function* readRows(context: TxContext, frame: ReadFrame, request: RowsRequest): AsyncGenerator<readonly string[]> {
  const { tx, tenantId } = context
  const properties = request.columns.flatMap((column) => ('property' in column ? column.property : []))
  const statement = showing(frame, { properties, withDataJson: false, columns: request.columns })
  const { sort } = await queryOf(context, frame, statement.source, { sort: request.sort })
  const filter = await conjunctionOf(context, frame, statement.source, request.filters)
  if (!frame.hasTable) return
  // Whether they may be read is asked when they are opened.
  await inRecords(tx, tenantId, () => openRows(tx, statement, { filter, sort, after: undefined }))
  for (let size = firstBatch; ;) {
    const rows = await fetchRows(tx, size)
    if (rows.length > 0) yield rows
    if (rows.length < size) return
    const bytes = rows.reduce((sum, row) => sum + row.length, 1)
    size = Math.max(1, Math.min(batchAtMost, Math.floor((batchBytes * rows.length) / bytes)))
  }
}

/** How many there are, counted up to `limit`. */
export async function countRowsOf(
  context: TxContext,
  frame: ReadFrame,
  { filters }: Pick<RowsRequest, 'filters'>,
  limit: number,
): Promise<number> {
  const source = openSource(frame)
  const filter = await conjunctionOf(context, frame, source, filters)
  if (!frame.hasTable) return 0
  return inRecords(context.tx, context.tenantId, () => countRows(context.tx, source, { filter }, limit))
}

/** The ids of the live records that a filter selects, from the lowest on. `isHeld`: nobody else changes them until the transaction ends. */
export async function selectIds(
  context: TxContext,
  frame: ReadFrame,
  filterRules: unknown,
  options: { readonly limit: number; readonly isHeld: boolean },
): Promise<readonly number[]> {
  const source = openSource(frame)
  const { filter } = await queryOf(context, frame, source, { filterRules })
  if (!frame.hasTable) return []
  return inRecords(context.tx, context.tenantId, () => listIds(context.tx, source, filter, options))
}

/** One property of the live records that a filter selects, from the lowest id on. */
export async function selectValues(
  context: TxContext,
  frame: ReadFrame,
  property: CatalogProperty,
  filterRules: unknown,
  limit: number,
): Promise<readonly { readonly id: number; readonly value: unknown }[]> {
  const statement = showing(frame, { properties: [property], withDataJson: false })
  const { filter } = await queryOf(context, frame, statement.source, { filterRules })
  if (!frame.hasTable) return []
  const found = await inRecords(context.tx, context.tenantId, () => listValues(context.tx, statement, filter, limit))
  // The statement built these texts itself.
  return mapInTurns(found, ({ id, data }) => ({ id, value: (JSON.parse(data) as Record<string, unknown>)[property.internalName] }))
}

/** What the values of a column are. */
export function typeOfColumn(column: ShownColumn): (typeof systemTypes)[keyof typeof systemTypes] {
  return 'property' in column ? column.property.dataType : systemTypes[column.system]
}
