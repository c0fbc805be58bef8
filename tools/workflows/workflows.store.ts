/** SQL of what workflows have beside other definitions: versions, live triggers, addresses of webhooks. */
import type { Tx } from '#platform/db/pool.ts'

export interface WorkflowRow {
  readonly workflowId: number
  readonly version: number | null
  readonly isEnabled: boolean
  readonly serviceUserId: number | null
  readonly publishedDate: string | null
}

export async function insertWorkflow(tx: Tx, tenantId: number, workflowId: number): Promise<void> {
  await tx`insert into platform.workflow (tenant_id, workflow_id) values (${tenantId}, ${workflowId})`
}

/** By id; deleted ones are left out. */
export async function findWorkflows(tx: Tx, tenantId: number, ids: readonly number[]): Promise<Map<number, WorkflowRow>> {
  if (ids.length === 0) return new Map()
  const rows = await tx<WorkflowRow[]>`
    select workflow_id, version, is_enabled, service_user_id, published_date
    from platform.workflow
    where tenant_id = ${tenantId} and workflow_id = any(${ids}::int[]) and deleted_date is null`
  return new Map(rows.map((row) => [row.workflowId, row]))
}

export async function setPublished(
  tx: Tx,
  tenantId: number,
  stamp: string,
  row: { readonly workflowId: number; readonly version: number; readonly serviceUserId: number },
): Promise<void> {
  await tx`
    update platform.workflow
    set version = ${row.version}, service_user_id = ${row.serviceUserId}, is_enabled = true, published_date = ${stamp}
    where tenant_id = ${tenantId} and workflow_id = ${row.workflowId}`
}

export async function setEnabled(tx: Tx, tenantId: number, workflowId: number, isEnabled: boolean): Promise<void> {
  await tx`update platform.workflow set is_enabled = ${isEnabled} where tenant_id = ${tenantId} and workflow_id = ${workflowId}`
}

/** Its versions stay for the runs that keep them; nothing starts one any more. */
export async function markDeleted(tx: Tx, tenantId: number, stamp: string, workflowId: number): Promise<void> {
  await tx`
    update platform.workflow set is_enabled = false, deleted_date = ${stamp} where tenant_id = ${tenantId} and workflow_id = ${workflowId}`
  await tx`delete from platform.workflow_trigger where tenant_id = ${tenantId} and workflow_id = ${workflowId}`
  await tx`delete from platform.workflow_webhook where tenant_id = ${tenantId} and workflow_id = ${workflowId}`
  await tx`delete from platform.workflow_once where tenant_id = ${tenantId} and workflow_id = ${workflowId}`
}

export interface VersionRow {
  readonly version: number
  readonly internalName: string
  readonly entityId: number | null
  /** JSON text. */
  readonly body: string
  /** JSON text. */
  readonly refs: string
  /** JSON text. */
  readonly plan: string
  readonly roleFlag: number
}

export async function insertVersion(
  tx: Tx,
  tenantId: number,
  stamp: string,
  workflowId: number,
  row: VersionRow & { readonly changes: string; readonly createdBy: number },
): Promise<void> {
  await tx`
    insert into platform.workflow_version (tenant_id, workflow_id, version, internal_name, entity_id, body, refs, plan, role_flag, changes,
      created_date, created_by)
    values (${tenantId}, ${workflowId}, ${row.version}, ${row.internalName}, ${row.entityId}, ${row.body}, ${row.refs}, ${row.plan},
      ${row.roleFlag}, ${row.changes}, ${stamp}, ${row.createdBy})`
}

/** Deleted workflows too: their runs go on. `isOwn`: this transaction wrote it, which may be rolled back. */
export async function findVersion(
  tx: Tx,
  tenantId: number,
  workflowId: number,
  version: number,
): Promise<(VersionRow & { readonly isOwn: boolean }) | undefined> {
  const [row] = await tx<(VersionRow & { isOwn: boolean })[]>`
    select version, internal_name, entity_id, body, refs, plan, role_flag, coalesce(xmin = pg_current_xact_id_if_assigned()::xid, false) as is_own
    from platform.workflow_version
    where tenant_id = ${tenantId} and workflow_id = ${workflowId} and version = ${version}`
  return row
}

export interface ListedVersion {
  readonly version: number
  /** JSON text. */
  readonly changes: string
  readonly sizeBytes: number
  readonly createdDate: string
  readonly createdBy: number
}

/** The newest first. */
export async function listVersions(tx: Tx, tenantId: number, workflowId: number): Promise<ListedVersion[]> {
  return tx<ListedVersion[]>`
    select version, changes, size_bytes, created_date, created_by
    from platform.workflow_version
    where tenant_id = ${tenantId} and workflow_id = ${workflowId}
    order by version desc`
}

/** How many bytes the versions of all workflows take. */
export async function measureVersions(tx: Tx, tenantId: number): Promise<number> {
  const [row] = await tx<[{ bytes: number }]>`
    select coalesce(sum(size_bytes), 0)::float8 as bytes from platform.workflow_version where tenant_id = ${tenantId}`
  return row.bytes
}

export interface WebhookRow {
  readonly triggerId: number
  readonly triggerKey: string
  readonly hasSecret: boolean
}

export async function listWebhooks(tx: Tx, tenantId: number, workflowId: number): Promise<WebhookRow[]> {
  return tx<WebhookRow[]>`
    select trigger_id, trigger_key, sealed_secret is not null as has_secret
    from platform.workflow_webhook
    where tenant_id = ${tenantId} and workflow_id = ${workflowId}`
}

export async function insertWebhook(tx: Tx, tenantId: number, workflowId: number, row: Omit<WebhookRow, 'hasSecret'>): Promise<void> {
  await tx`
    insert into platform.workflow_webhook (tenant_id, trigger_id, workflow_id, trigger_key)
    values (${tenantId}, ${row.triggerId}, ${workflowId}, ${row.triggerKey})`
}

export async function setWebhookSecret(tx: Tx, tenantId: number, triggerId: number, sealedSecret: Buffer): Promise<void> {
  await tx`update platform.workflow_webhook set sealed_secret = ${sealedSecret} where tenant_id = ${tenantId} and trigger_id = ${triggerId}`
}

/** Webhooks that neither the draft nor the published version has any more. */
export async function deleteWebhooksBut(tx: Tx, tenantId: number, workflowId: number, triggerIds: readonly number[]): Promise<void> {
  await tx`
    delete from platform.workflow_webhook w
    where w.tenant_id = ${tenantId} and w.workflow_id = ${workflowId} and w.trigger_id <> all(${triggerIds}::int[])
      and not exists (select from platform.workflow_trigger t where t.tenant_id = ${tenantId} and t.trigger_id = w.trigger_id)`
}
