/** The statement that asks which records hold a file as they stand. */
import type { Tx } from '#platform/db/pool.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'

import { createParameters } from './columns.rules.ts'
import { run } from './read.store.ts'
import { columnOf, fromSql, openSource, type Readable } from './source.rules.ts'

/** Those of these live records that hold the file in the property now. */
export async function listHoldingNow(
  tx: Tx,
  readable: Readable,
  property: CatalogProperty,
  assetKey: string,
  ids: readonly number[],
): Promise<number[]> {
  const parameters = createParameters()
  const source = openSource({ ...readable, sight: undefined })
  const column = columnOf(source, property)
  const file = `${parameters.add(assetKey)}::text::uuid`
  const holds = property.isList ? `${file} = any(${column})` : `${column} = ${file}`
  const among = `${source.alias}.id = any(${parameters.add(ids)}::bigint[])`
  const rows = await run<{ id: number }>(tx, `select ${source.alias}.id from ${fromSql(parameters, source, among, holds)}`, parameters)
  return rows.map(({ id }) => id)
}
