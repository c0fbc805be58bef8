/** Statements that read live records before a write: which of those that are named are there, and what they hold. */
import type { Tx } from '#platform/db/pool.ts'
import { recordTable } from '#platform/db/records.ts'
import { mapInTurns } from '#platform/turns.ts'
import type { Value } from '#tools/properties/service.ts'
import { canonicalSql, createParameters, type Keys, type ReadFrame, openSource } from '#tools/query/service.ts'

/** What is known of a live record before a write. */
export interface LiveRow {
  readonly id: number
  readonly parentId: number | null
  readonly key1: string
  readonly key2: string
  readonly key3: string
  readonly rowHash: string
  readonly version: number
}

const liveColumns = `e.id, e.parent_id, e.key1, e.key2, e.key3, upper(encode(e.row_hash, 'hex')) as row_hash, e.version`

/** Whether rows are held against other writers until the transaction ends; in the order of their ids, so that two do not wait for each other. */
const held = (isHeld: boolean) => (isHeld ? ' order by e.id for no key update of e' : '')

/** Live records that have these keys. */
export async function findLiveByKeys(
  tx: Tx,
  tenantId: number,
  entityId: number,
  keys: readonly Keys[],
  isHeld = false,
): Promise<LiveRow[]> {
  return tx.unsafe<LiveRow[]>(
    `select ${liveColumns} from json_to_recordset($1::text::json) as r(k1 text, k2 text, k3 text)
     join ${recordTable(tenantId, entityId)} e on e.key1 = r.k1 and e.key2 = r.k2 and e.key3 = r.k3 and e.deleted_at is null and e.key1 <> ''${held(isHeld)}`,
    [JSON.stringify(keys.map(([k1, k2, k3]) => ({ k1, k2, k3 })))],
    { prepare: true },
  )
}

/** Live records that have these ids. */
export async function findLiveByIds(
  tx: Tx,
  tenantId: number,
  entityId: number,
  ids: readonly number[],
  isHeld = false,
): Promise<LiveRow[]> {
  return tx.unsafe<LiveRow[]>(
    `select ${liveColumns} from ${recordTable(tenantId, entityId)} e where e.id = any($1::bigint[]) and e.deleted_at is null${held(isHeld)}`,
    [ids],
    { prepare: true },
  )
}

/** The values of these records by entityPropertyId, canonical. */
export async function readCanonical(
  tx: Tx,
  tenantId: number,
  frame: ReadFrame,
  ids: readonly number[],
): Promise<Map<number, Map<number, Value>>> {
  const parameters = createParameters()
  const document = canonicalSql(parameters, openSource(frame))
  const rows = await tx.unsafe<{ id: number; document: string }[]>(
    `select e.id, (${document})::text as document from ${recordTable(tenantId, frame.entity.entityId)} e where e.id = any(${parameters.add(ids)}::bigint[])`,
    [...parameters.list] as never[],
    { prepare: true },
  )
  const read = await mapInTurns(rows, (row) => {
    const values = Object.entries(JSON.parse(row.document) as Record<string, Value>).map(([id, value]) => [Number(id), value] as const)
    return [row.id, new Map(values)] as const
  })
  return new Map(read)
}
