/** The statement that looks for the records that hold files. */
import type { Tx } from '#platform/db/pool.ts'
import type { CatalogProperty } from '#tools/entities/catalog.schema.ts'

import { createParameters } from './columns.rules.ts'
import { run } from './read.store.ts'
import { columnOf, fromSql, openSource, type Readable } from './source.rules.ts'

/** A record, deleted perhaps, that holds a file in a property or held it in an earlier version. */
export interface Holder {
  readonly assetKey: string
  readonly id: number
  readonly entityPropertyId: number
}

export async function listHolders(
  tx: Tx,
  readable: Readable,
  properties: readonly CatalogProperty[],
  keys: readonly string[],
): Promise<Holder[]> {
  const parameters = createParameters()
  const wanted = `${parameters.add(keys)}::text[]::uuid[]`
  const source = openSource({ ...readable, sight: undefined }, { rows: 'versions' })
  const each = properties.map((property) => {
    const column = columnOf(source, property)
    const [file, holds] = property.isList ? [`unnest(${column})`, `${column} && ${wanted}`] : [column, `${column} = any(${wanted})`]
    return `select ${file} as file, e.id, ${property.entityPropertyId} as property from ${fromSql(parameters, source, holds)}`
  })
  return run<Holder>(
    tx,
    `select distinct file::text as asset_key, id, property as entity_property_id from (${each.join(' union all ')}) held where file = any(${wanted})`,
    parameters,
  )
}
