/** Records read to be held: their values in canonical form, which conditions are asked of, beside what is shown of them. */
import { inRecords } from '#platform/db/records.ts'
import type { TxContext } from '#platform/operation.ts'
import { mapInTurns } from '#platform/turns.ts'
import { type SystemField, systemFields } from '#tools/properties/operators.types.ts'
import type { Value } from '#tools/properties/service.ts'

import { isoSql } from './columns.rules.ts'
import { filterSql } from './conditions.rules.ts'
import { canonicalSql, documentSql, type Shown, showing, type Showing } from './document.rules.ts'
import { fieldSql, systemTypes } from './field.rules.ts'
import type { ReadFrame } from './frame.ts'
import { orderSql } from './order.rules.ts'
import { conjunctionOf, queryOf } from './pages.ts'
import { readPage } from './read.store.ts'
import { fromSql } from './source.rules.ts'

export interface ReadInHand {
  readonly id: number
  readonly parentId: number | null
  readonly fields: Readonly<Record<SystemField, string | number | null>>
  /** By entityPropertyId; what the caller does not see is null. */
  readonly values: ReadonlyMap<number, Value>
  /** What is null because the caller does not see it. */
  readonly withheld: ReadonlySet<string>
  /** The record as the wire shows it, as JSON text. */
  readonly document: string
}

interface Row {
  readonly document: Readonly<Record<string, unknown>>
  readonly fields: Readonly<Record<SystemField, string | number | null>>
  readonly values: Readonly<Record<string, Value>>
}

function fieldsSql({ source }: Showing): string {
  const parts = systemFields.map((system) => {
    const dataType = systemTypes[system]
    const value = fieldSql({ source, system, dataType })
    return `'${system}': ${dataType === 'DateTime' ? isoSql(value) : value}`
  })
  return `json_object(${parts.join(', ')} null on null)`
}

/** Live records that fulfil all of these filters, as the caller sees them, no more than `limit` and `bytes`; `isCut` tells that there are more. */
export async function readInHand(
  context: TxContext,
  frame: ReadFrame,
  wanted: {
    readonly filters: readonly unknown[]
    readonly sort?: unknown
    readonly shown: Shown
    /** false: what the records hold is not read. */
    readonly withValues?: boolean
    readonly limit: number
    readonly bytes: number
  },
): Promise<{ readonly records: readonly ReadInHand[]; readonly isCut: boolean }> {
  const statement = showing(frame, wanted.shown)
  const { source, parameters } = statement
  const { sort } = await queryOf(context, frame, source, { sort: wanted.sort })
  const filter = await conjunctionOf(context, frame, source, wanted.filters)
  if (!frame.hasTable) return { records: [], isCut: false }
  const { items, found, fitting } = await inRecords(context.tx, context.tenantId, () =>
    readPage(context.tx, statement, {
      source: fromSql(parameters, source, filterSql(parameters, filter)),
      order: orderSql(parameters, source, sort),
      document: `json_object('document': ${documentSql(statement)}, 'fields': ${fieldsSql(statement)}, 'values': ${wanted.withValues === false ? "'{}'::json" : canonicalSql(parameters, source)})`,
      position: 'null::json',
      limit: wanted.limit,
      bytes: wanted.bytes,
    }),
  )
  // The statement built this text itself, in the shape of Row.
  const rows = JSON.parse(items) as Row[]
  const records = await mapInTurns(rows, ({ document, fields, values }) => ({
    id: Number(document['eiRecordId']),
    parentId: fields.parentEIRecordId === null ? null : Number(fields.parentEIRecordId),
    fields,
    values: new Map(Object.entries(values).map(([id, value]) => [Number(id), value])),
    withheld: new Set((document['withheld'] as readonly string[] | undefined) ?? []),
    document: JSON.stringify(document),
  }))
  return { records, isCut: found > fitting }
}
