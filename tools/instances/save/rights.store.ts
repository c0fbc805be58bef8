/** The statement that asks which access rules would hold for rows as a save would store them. */
import type { Tx } from '#platform/db/pool.ts'
import { recordTable } from '#platform/db/records.ts'
import { createParameters, type Holding, holdingSql, type Sight } from '#tools/query/service.ts'

import { type FullRow, recordsetColumns, rowsJson } from './recordset.rules.ts'
import type { WriteFrame } from './write-frame.ts'

/** In the order of the rows. */
export async function listHoldingsThen(
  tx: Tx,
  tenantId: number,
  { entity }: WriteFrame,
  access: Sight,
  by: { readonly stamp: string; readonly tenantUserId: number },
  rows: readonly FullRow[],
): Promise<Holding[]> {
  const parameters = createParameters()
  // The place among the rows travels where a write has the version.
  const json = `${parameters.add(
    rowsJson(
      entity,
      rows.map((row, index) => ({ ...row, version: index })),
    ),
  )}::text::json`
  const at = `${parameters.add(by.stamp)}::text::timestamptz`
  const me = `${parameters.add(by.tenantUserId)}::int`
  const own = entity.properties.map((property) => `, r.c${property.columnId}`)
  const found = await tx.unsafe<{ n: number; holding: string }[]>(
    `select t.n, ${holdingSql(parameters, access, 't')} as holding from (
       select r.v::int as n, r.id, r.p as parent_id, r.k1 as key1, r.k2 as key2, r.k3 as key3, coalesce(o.version, 0) + 1 as version, ${at} as valid_from,
         coalesce(o.created_at, ${at}) as created_at, case when o.id is null then ${me} else o.created_by end as created_by, ${me} as modified_by,
         o.workflow_instance_id, null::timestamptz as deleted_at${own.join('')}
       from json_to_recordset(${json}) as r(${recordsetColumns(entity)}) left join ${recordTable(tenantId, entity.entityId)} o on o.id = r.id) t
     order by t.n`,
    [...parameters.list] as never[],
    { prepare: true },
  )
  // The statement built this text itself.
  return found.map((row) => JSON.parse(row.holding) as Holding)
}
