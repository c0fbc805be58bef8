/** SQL of what forms have beside other definitions: the versions of their layouts. */
import type { Tx } from '#platform/db/pool.ts'

/** Of one form, today's among them. */
const versionsKept = 50
/** Of all forms of a tenant together, beside today's. */
const bytesKept = 64 * 1024 * 1024

export interface LayoutRow {
  readonly layoutVersion: number
  /** JSON text. */
  readonly body: string
  /** JSON text. */
  readonly refs: string
  readonly createdDate: string
  readonly createdBy: number
}

/** Which version the layouts of these forms have. */
export async function findLayoutVersions(tx: Tx, tenantId: number, formIds: readonly number[]): Promise<Map<number, number>> {
  if (formIds.length === 0) return new Map()
  const rows = await tx<{ formId: number; layoutVersion: number }[]>`
    select form_id, layout_version from platform.form where tenant_id = ${tenantId} and form_id = any(${formIds}::int[])`
  return new Map(rows.map((row) => [row.formId, row.layoutVersion]))
}

export async function findLayout(tx: Tx, tenantId: number, formId: number, layoutVersion: number): Promise<LayoutRow | undefined> {
  const [row] = await tx<LayoutRow[]>`
    select layout_version, body, refs, created_date, created_by
    from platform.form_layout
    where tenant_id = ${tenantId} and form_id = ${formId} and layout_version = ${layoutVersion}`
  return row
}

/** The versions of a form, the newest first, without their layouts. */
export async function listLayoutVersions(
  tx: Tx,
  tenantId: number,
  formId: number,
): Promise<(Pick<LayoutRow, 'layoutVersion' | 'createdDate' | 'createdBy'> & { readonly sizeBytes: number })[]> {
  return tx`
    select layout_version, created_date, created_by, size_bytes
    from platform.form_layout
    where tenant_id = ${tenantId} and form_id = ${formId}
    order by layout_version desc`
}

/** Notes a new version of the form's layout, and lets go of what is older than is kept. */
export async function insertLayout(tx: Tx, tenantId: number, formId: number, row: LayoutRow): Promise<void> {
  const { layoutVersion, body, refs, createdDate, createdBy } = row
  await tx`
    insert into platform.form (tenant_id, form_id, layout_version) values (${tenantId}, ${formId}, ${layoutVersion})
    on conflict (tenant_id, form_id) do update set layout_version = excluded.layout_version`
  await tx`
    insert into platform.form_layout (tenant_id, form_id, layout_version, body, refs, created_date, created_by)
    values (${tenantId}, ${formId}, ${layoutVersion}, ${body}, ${refs}, ${createdDate}, ${createdBy})`
  await tx`
    with aged as (
      select form_id, layout_version, row_number() over (partition by form_id order by layout_version desc) as nth,
        sum(size_bytes) over (order by created_date desc, form_id, layout_version desc) as bytes
      from platform.form_layout where tenant_id = ${tenantId}
    )
    delete from platform.form_layout l using aged a
    where l.tenant_id = ${tenantId} and l.form_id = a.form_id and l.layout_version = a.layout_version
      and (a.nth > ${versionsKept} or (a.nth > 1 and a.bytes > ${bytesKept}))`
}
