/** Rows as one parameter of a statement, and the columns that it reads them into. */
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { Value } from '#tools/properties/service.ts'
import { type Keys, sqlTypeOf } from '#tools/query/service.ts'

/** A row as it will be stored: every value, canonical. */
export interface FullRow {
  readonly id: number
  /** 0 for a new record. */
  readonly version: number
  readonly parentId: number | null
  readonly keys: Keys
  readonly rowHash: string
  readonly values: ReadonlyMap<number, Value>
}

export function recordsetColumns(entity: CatalogEntity): string {
  const own = entity.properties.map((property) => `, c${property.columnId} ${sqlTypeOf(property.dataType)}${property.isList ? '[]' : ''}`)
  return `id bigint, v int, p bigint, k1 text, k2 text, k3 text, h text${own.join('')}`
}

/** Rows as `recordsetColumns` reads them. */
export function rowsJson(entity: CatalogEntity, rows: readonly FullRow[]): string {
  const columns = entity.properties.map((property) => [`c${property.columnId}`, property.entityPropertyId] as const)
  return JSON.stringify(
    rows.map((row) => {
      const out: Record<string, unknown> = {
        id: row.id,
        v: row.version,
        p: row.parentId,
        k1: row.keys[0],
        k2: row.keys[1],
        k3: row.keys[2],
        h: row.rowHash,
      }
      for (const [column, id] of columns) out[column] = row.values.get(id) ?? null
      return out
    }),
  )
}
