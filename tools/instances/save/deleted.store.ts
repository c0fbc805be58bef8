/** Statements that read deleted records before a restore. */
import type { Tx } from '#platform/db/pool.ts'
import { recordTable } from '#platform/db/records.ts'
import type { Keys } from '#tools/query/service.ts'

/** A deleted record, and the deletion that it went with. */
export interface DeletedRow {
  readonly id: number
  readonly parentId: number | null
  readonly key1: string
  readonly key2: string
  readonly key3: string
  readonly deletionId: number
}

const columns = 'e.id, e.parent_id, e.key1, e.key2, e.key3, e.deletion_id'

/** The deleted record of this id, or that was deleted last of those with these keys, held against other writers until the transaction ends. */
export async function holdDeleted(
  tx: Tx,
  tenantId: number,
  entityId: number,
  name: { readonly id: number } | { readonly keys: Keys },
): Promise<DeletedRow | undefined> {
  const [condition, values] =
    'id' in name
      ? (['e.id = $1::bigint', [name.id]] as const)
      : ([`e.key1 = $1::text and e.key2 = $2::text and e.key3 = $3::text and e.key1 <> ''`, [...name.keys]] as const)
  const [row] = await tx.unsafe<DeletedRow[]>(
    `select ${columns} from ${recordTable(tenantId, entityId)} e where ${condition} and e.deleted_at is not null
     order by e.deleted_at desc, e.id desc limit 1 for no key update`,
    [...values] as never[],
  )
  return row
}

/** Records of an entity that stood below these and went with the same deletion. */
export async function listDeletedBelow(
  tx: Tx,
  tenantId: number,
  entityId: number,
  parentIds: readonly number[],
  deletionId: number,
): Promise<DeletedRow[]> {
  return tx.unsafe<DeletedRow[]>(
    `select ${columns} from ${recordTable(tenantId, entityId)} e
     where e.deletion_id = $2::bigint and e.parent_id = any($1::bigint[]) and e.deleted_at is not null order by e.id for no key update`,
    [parentIds, deletionId] as never[],
  )
}

/** The keys of a record, live or deleted. */
export async function findKeys(tx: Tx, tenantId: number, entityId: number, id: number): Promise<Keys | undefined> {
  const [row] = await tx.unsafe<{ key1: string; key2: string; key3: string }[]>(
    `select e.key1, e.key2, e.key3 from ${recordTable(tenantId, entityId)} e where e.id = $1::bigint`,
    [id],
  )
  return row && [row.key1, row.key2, row.key3]
}
