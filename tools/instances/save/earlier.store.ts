/** Statements on one earlier version of a record. */
import type { Tx } from '#platform/db/pool.ts'
import { historyTable, recordTable } from '#platform/db/records.ts'

/** Which of these columns a version of a record has values in. Its history has each of them. */
export async function findHeld(
  tx: Tx,
  tenantId: number,
  entityId: number,
  of: { readonly id: number; readonly version: number },
  columnIds: readonly number[],
): Promise<number[]> {
  if (columnIds.length === 0) return []
  const held = (sameAsNext: string) =>
    `array_remove(array[${columnIds.map((id) => `case when c${id} is not null or ${id} = any(${sameAsNext}) then ${id} end`).join(', ')}]::int[], null) as held`
  const [row] = await tx.unsafe<{ held: number[] }[]>(
    `select ${held(`'{}'::int[]`)} from ${recordTable(tenantId, entityId)} where id = $1::bigint and version = $2::int
     union all select ${held('same_as_next')} from ${historyTable(tenantId, entityId)} where id = $1::bigint and version = $2::int`,
    [of.id, of.version] as never[],
  )
  return row?.held ?? []
}
