/**
 * What the live records of an entity hold: asked before a definition changes under the entity's exclusive lock, when nobody writes them. A table or a
 * column that does not exist yet holds nothing.
 */
import type { Databases } from './databases.ts'
import type { Tx } from './pool.ts'
import { entitiesWithTables, historyTable, inRecords, linkTable, presentColumns, recordTable, tenantRole } from './records.ts'

/** The live rows that meet a condition on the row `r`, at most one; the condition is compiled text over the columns of this module's callers. */
async function isAny(tx: Tx, tenantId: number, entityId: number, condition: string, parameters: readonly string[] = []): Promise<boolean> {
  const rows = await inRecords(tx, tenantId, () =>
    tx.unsafe(`select 1 from ${recordTable(tenantId, entityId)} r where r.deleted_at is null and ${condition} limit 1`, [...parameters]),
  )
  return rows.length > 0
}

export async function hasRecords(tx: Tx, tenantId: number, entityId: number): Promise<boolean> {
  const present = await presentColumns(tx, tenantId, entityId)
  return present.size > 0 && isAny(tx, tenantId, entityId, 'true')
}

/** Whether a live record has a value in the column. */
export async function holdsValue(tx: Tx, tenantId: number, entityId: number, columnId: number): Promise<boolean> {
  const present = await presentColumns(tx, tenantId, entityId)
  return present.has(`c${columnId}`) && isAny(tx, tenantId, entityId, `r.c${columnId} is not null`)
}

/** Whether a live record has no value in the column. */
export async function lacksValue(tx: Tx, tenantId: number, entityId: number, columnId: number): Promise<boolean> {
  const present = await presentColumns(tx, tenantId, entityId)
  if (present.size === 0) return false
  return isAny(tx, tenantId, entityId, present.has(`c${columnId}`) ? `r.c${columnId} is null` : 'true')
}

/** Whether a live record holds the option, alone or in a list. */
export async function holdsOption(
  tx: Tx,
  tenantId: number,
  entityId: number,
  column: { columnId: number; isList: boolean },
  optionId: number,
): Promise<boolean> {
  const present = await presentColumns(tx, tenantId, entityId)
  if (!present.has(`c${column.columnId}`)) return false
  const name = `r.c${column.columnId}`
  return isAny(tx, tenantId, entityId, column.isList ? `$1::text::int = any(${name})` : `${name} = $1::text::int`, [String(optionId)])
}

export interface HeldTexts {
  readonly id: number
  /** In the order of the columns. */
  readonly texts: readonly (string | null)[]
}

/**
 * The texts of live records in these columns, by id after `after`; null where there is no value, no such column or no column is named. Whoever would
 * write the records waits until the transaction ends.
 */
export async function holdTexts(
  tx: Tx,
  tenantId: number,
  entityId: number,
  columnIds: readonly (number | null)[],
  page: { readonly after: number; readonly limit: number },
): Promise<HeldTexts[]> {
  const present = await presentColumns(tx, tenantId, entityId)
  if (present.size === 0) return []
  const texts = columnIds.map((columnId) => (columnId !== null && present.has(`c${columnId}`) ? `r.c${columnId}` : 'null::text'))
  return inRecords(tx, tenantId, async () => {
    const rows = await tx.unsafe<{ id: number; texts: (string | null)[] }[]>(
      `select r.id, array[${texts.join(', ')}] as texts from ${recordTable(tenantId, entityId)} r
      where r.deleted_at is null and r.id > $1::text::bigint order by r.id limit $2::text::int for share`,
      [String(page.after), String(page.limit)],
    )
    return [...rows]
  })
}

/** Whether a live record has no parent. */
export async function hasOrphans(tx: Tx, tenantId: number, entityId: number): Promise<boolean> {
  const present = await presentColumns(tx, tenantId, entityId)
  return present.size > 0 && isAny(tx, tenantId, entityId, 'r.parent_id is null')
}

export interface ChildUse {
  /** A live child has a parent of this entity. */
  readonly hasChildren: boolean
  /** Two live children share a parent of this entity. */
  readonly hasSiblings: boolean
  /** A live record of the child entity has no parent at all. */
  readonly hasOrphans: boolean
}

/** How the records of a child entity stand under those of a parent entity. */
export async function findChildUse(tx: Tx, tenantId: number, parentEntityId: number, childEntityId: number): Promise<ChildUse> {
  const child = await presentColumns(tx, tenantId, childEntityId)
  if (child.size === 0) return { hasChildren: false, hasSiblings: false, hasOrphans: false }
  const hasOrphans = await isAny(tx, tenantId, childEntityId, 'r.parent_id is null')
  const parent = await presentColumns(tx, tenantId, parentEntityId)
  if (parent.size === 0) return { hasChildren: false, hasSiblings: false, hasOrphans }
  const under = `exists (select from ${recordTable(tenantId, parentEntityId)} p where p.id = r.parent_id)`
  const hasChildren = await isAny(tx, tenantId, childEntityId, under)
  const sibling = `exists (select from ${recordTable(tenantId, childEntityId)} s where s.parent_id = r.parent_id and s.id <> r.id and s.deleted_at is null)`
  const hasSiblings = hasChildren && (await isAny(tx, tenantId, childEntityId, `${under} and ${sibling}`))
  return { hasChildren, hasSiblings, hasOrphans }
}

/** What a change between one and many came to. `tooMany` rows are left as they are. */
export type Conversion = 'done' | 'nothingToDo' | 'heldByTwo' | 'tooMany'

export const convertibleRows = 50_000

/**
 * Adds the new column to the record table and its history and fills it from the old one, as the schema role, in a transaction of its own. To be called
 * under the entity's exclusive lock, by a transaction that has not touched the record table: adding a column waits for every reader, also for that one.
 * The new column means nothing until a definition names it, so a failure afterwards leaves nothing wrong behind.
 */
export async function convertColumn(
  databases: Databases,
  change: { tenantId: number; entityId: number; fromColumnId: number; toColumnId: number; toList: boolean },
): Promise<Conversion> {
  const { tenantId, entityId, fromColumnId, toColumnId, toList } = change
  const from = `c${fromColumnId}`
  const to = `c${toColumnId}`
  return databases.changeSchema(async (tx) => {
    const present = await presentColumns(tx, tenantId, entityId)
    if (!present.has(from)) return 'nothingToDo'
    const table = recordTable(tenantId, entityId)
    const [held] = await tx.unsafe<{ isHeld: boolean; isHeldByTwo: boolean }[]>(
      `select exists (select from ${table} where ${from} is not null) as is_held,
        ${toList ? 'false' : `exists (select from ${table} where deleted_at is null and cardinality(${from}) > 1)`} as is_held_by_two`,
    )
    if (held?.isHeldByTwo) return 'heldByTwo'
    const history = historyTable(tenantId, entityId)
    const tables = (await hasHistory(tx, tenantId, entityId)) ? [table, history] : [table]
    const [count] = await tx.unsafe<{ rows: number }[]>(
      `select ${tables.map((one) => `(select count(*) from ${one})`).join(' + ')} as rows`,
    )
    if (held?.isHeld && (count?.rows ?? 0) > convertibleRows) return 'tooMany'
    const type = await typeOfColumn(tx, tenantId, entityId, from)
    for (const one of tables) {
      await tx.unsafe(`alter table ${one} add column ${to} ${type}${toList ? '[]' : ''}`)
      await tx.unsafe(`update ${one} set ${to} = ${toList ? `array[${from}]` : `${from}[1]`} where ${from} is not null`)
    }
    // Where a version leaves a long text to the next one, it must now leave the new column.
    if (tables.length > 1) {
      await tx.unsafe(
        `update ${history} set same_as_next = array_replace(same_as_next, ${fromColumnId}, ${toColumnId}) where ${fromColumnId} = any(same_as_next)`,
      )
    }
    return 'done'
  })
}

async function hasHistory(tx: Tx, tenantId: number, entityId: number): Promise<boolean> {
  const rows = await tx`
    select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${tenantRole(tenantId)} and c.relname = ${`e_${entityId}_history`}`
  return rows.length > 0
}

/** The type of a column, or of the elements of a list. */
async function typeOfColumn(tx: Tx, tenantId: number, entityId: number, column: string): Promise<string> {
  const [row] = await tx<{ type: string }[]>`
    select format_type(coalesce(nullif(t.typelem, 0), t.oid), null) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace join pg_type t on t.oid = a.atttypid
    where n.nspname = ${tenantRole(tenantId)} and c.relname = ${`e_${entityId}`} and a.attname = ${column}`
  return row?.type ?? 'text'
}

/** Whether live links join live records of the two entities: those of a deleted record wait for its return, and keep nobody from anything. */
export async function holdsLinks(tx: Tx, tenantId: number, entityId: number, otherEntityId: number): Promise<boolean> {
  const both = [...new Set([entityId, otherEntityId])]
  if ((await entitiesWithTables(tx, tenantId, both)).length < both.length) return false
  const isLive = (entity: number, record: string) =>
    `exists (select from ${recordTable(tenantId, entity)} e where e.id = l.${record} and e.deleted_at is null)`
  const joins = (a: number, b: number) =>
    `(l.entity_a = ${a} and l.entity_b = ${b} and ${isLive(a, 'record_a')} and ${isLive(b, 'record_b')})`
  const rows = await inRecords(tx, tenantId, () =>
    tx.unsafe(
      `select 1 from ${linkTable(tenantId)} l
       where l.unlinked_at is null and (${joins(entityId, otherEntityId)} or ${joins(otherEntityId, entityId)}) limit 1`,
    ),
  )
  return rows.length > 0
}
