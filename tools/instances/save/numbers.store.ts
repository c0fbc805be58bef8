/** Statements on the numbers that the server gives to records. */
import type { Tx } from '#platform/db/pool.ts'
import { numberSequence, recordTable } from '#platform/db/records.ts'
import type { Numbering } from '#tools/entities/entities.schema.ts'

/** The next numbers that no live record has: those of `count` drawn ones, in their order. Drawn ones are never drawn again. */
export async function drawNumbers(
  tx: Tx,
  tenantId: number,
  entityId: number,
  columnId: number,
  { prefix, digits }: Numbering,
  count: number,
): Promise<string[]> {
  const rows = await tx.unsafe<{ number: string }[]>(
    `with drawn as materialized (select nextval('${numberSequence(tenantId, columnId)}') as n from generate_series(1, $1::int)),
       named as (select n, $2::text || lpad(n::text, greatest($3::int, length(n::text)), '0') as number from drawn)
     select number from named d
     where not exists (select from ${recordTable(tenantId, entityId)} e where e.c${columnId} = d.number and e.deleted_at is null) order by n`,
    [count, prefix, digits] as never[],
    { prepare: true },
  )
  return rows.map((row) => row.number)
}

/** Which live record has each of these numbers. */
export async function findNumbered(
  tx: Tx,
  tenantId: number,
  entityId: number,
  columnId: number,
  numbers: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.unsafe<{ number: string; id: number }[]>(
    `select e.c${columnId} as number, e.id from json_array_elements_text($1::text::json) as r(number)
     join ${recordTable(tenantId, entityId)} e on e.c${columnId} = r.number and e.deleted_at is null`,
    [JSON.stringify(numbers)],
    { prepare: true },
  )
  return new Map(rows.map((row) => [row.number, row.id]))
}
