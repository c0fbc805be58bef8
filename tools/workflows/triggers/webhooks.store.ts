/** SQL of what calls webhook triggers. */
import type { Tx } from '#platform/db/pool.ts'

/** Whose the address is. As the look-up role. */
export async function findTenantOfTrigger(tx: Tx, triggerKey: string): Promise<number | undefined> {
  const [row] = await tx<{ tenantId: number }[]>`select tenant_id from platform.workflow_webhook where trigger_key = ${triggerKey}`
  return row?.tenantId
}

export interface WebhookTrigger {
  readonly triggerId: number
  readonly definitionId: number
  readonly version: number
  readonly sealedSecret: Buffer | null
  readonly actsAs: number
  readonly roleFlag: number
  readonly isLive: boolean
}

/** The published trigger of an address. */
export async function findWebhookTrigger(tx: Tx, tenantId: number, triggerKey: string): Promise<WebhookTrigger | undefined> {
  const [row] = await tx<WebhookTrigger[]>`
    select t.trigger_id, t.workflow_id as definition_id, t.version, w.sealed_secret, coalesce(t.acts_as, 0) as acts_as, t.role_flag, t.is_live
    from platform.workflow_webhook w
      join platform.workflow_trigger t on t.tenant_id = ${tenantId} and t.trigger_id = w.trigger_id and t.trigger_type = 'webhookReceived'
    where w.tenant_id = ${tenantId} and w.trigger_key = ${triggerKey}`
  return row
}

/** Notes a delivery; false for one that was noted within a day. Another of the same name waits here until the first is over. */
export async function takeDelivery(tx: Tx, tenantId: number, triggerId: number, name: Buffer, at: string): Promise<boolean> {
  const [row] = await tx`
    insert into platform.trigger_delivery as d (tenant_id, trigger_id, name, at) values (${tenantId}, ${triggerId}, ${name}, ${at})
    on conflict (tenant_id, trigger_id, name) do update set at = excluded.at, run_id = null where d.at < ${at}::timestamptz - interval '24 hours'
    returning 1`
  return row !== undefined
}

export async function noteRunOf(tx: Tx, tenantId: number, triggerId: number, name: Buffer, runId: number): Promise<void> {
  await tx`
    update platform.trigger_delivery set run_id = ${runId}
    where tenant_id = ${tenantId} and trigger_id = ${triggerId} and name = ${name}`
}

/** The run that a delivery started; null where it started none. */
export async function findRunOf(tx: Tx, tenantId: number, triggerId: number, name: Buffer): Promise<number | null> {
  const [row] = await tx<{ runId: number | null }[]>`
    select run_id from platform.trigger_delivery where tenant_id = ${tenantId} and trigger_id = ${triggerId} and name = ${name}`
  return row?.runId ?? null
}

/** What no replay is told by any more. As the look-up role. */
export async function deleteOldDeliveries(tx: Tx): Promise<void> {
  await tx`delete from platform.trigger_delivery where at < now() - interval '25 hours'`
}
