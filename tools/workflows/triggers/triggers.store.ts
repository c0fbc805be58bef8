/** SQL of live triggers, and of what they matched. */
import type { Tx } from '#platform/db/pool.ts'

import type { Firing, TriggerRow, WaitPlace } from './triggers.types.ts'

export interface NewTrigger {
  readonly triggerId: number
  readonly triggerType: string
  readonly entityId: number | null
  readonly isEnabled: boolean
  /** The trigger as the version has it. */
  readonly body: unknown
}

/** The triggers of a definition from now on; one that was live before stays live since then. */
export async function replaceTriggers(
  tx: Tx,
  tenantId: number,
  of: { readonly definitionId: number; readonly version: number; readonly actsAs: number; readonly roleFlag: number; readonly at: string },
  triggers: readonly NewTrigger[],
): Promise<void> {
  await tx`
    with old as (
      delete from platform.workflow_trigger where tenant_id = ${tenantId} and workflow_id = ${of.definitionId}
        and trigger_id <> all (${tx.array(triggers.map(({ triggerId }) => triggerId))}::int[])
    )
    insert into platform.workflow_trigger (tenant_id, trigger_id, workflow_id, version, trigger_type, entity_id, is_enabled, is_live, live_since,
      acts_as, role_flag, body)
    select ${tenantId}, t."triggerId", ${of.definitionId}, ${of.version}, t."triggerType", t."entityId", t."isEnabled", t."isEnabled", ${of.at},
      ${of.actsAs}, ${of.roleFlag}, t.body::text
    from json_to_recordset(${JSON.stringify(triggers)}::text::json)
      as t("triggerId" int, "triggerType" text, "entityId" int, "isEnabled" boolean, body json)
    on conflict (tenant_id, trigger_id) do update
    set version = excluded.version, trigger_type = excluded.trigger_type, entity_id = excluded.entity_id, is_enabled = excluded.is_enabled,
      is_live = excluded.is_live, acts_as = excluded.acts_as, role_flag = excluded.role_flag, body = excluded.body,
      live_since = case when workflow_trigger.is_live then coalesce(workflow_trigger.live_since, excluded.live_since) else excluded.live_since end`
}

/** They fire no more; addresses of webhooks stay theirs. */
export async function haltTriggerRows(tx: Tx, tenantId: number, definitionId: number): Promise<void> {
  await tx`update platform.workflow_trigger set is_live = false where tenant_id = ${tenantId} and workflow_id = ${definitionId}`
  await tx`delete from platform.trigger_firing where tenant_id = ${tenantId} and definition_id = ${definitionId} and part like 'trigger:%'`
}

export async function findLiveTrigger(tx: Tx, tenantId: number, triggerId: number): Promise<TriggerRow | undefined> {
  const [row] = await tx<TriggerRow[]>`
    select trigger_id, workflow_id as definition_id, version, trigger_type, entity_id, acts_as, role_flag, live_since
    from platform.workflow_trigger
    where tenant_id = ${tenantId} and trigger_id = ${triggerId} and is_live`
  return row
}

export type NewFiring = Pick<Firing, 'definitionId' | 'part' | 'event' | 'recordIds' | 'versions'>

export async function insertFirings(tx: Tx, tenantId: number, at: string, firings: readonly NewFiring[]): Promise<void> {
  await tx`
    insert into platform.trigger_firing (tenant_id, definition_id, part, event, record_ids, versions, next_at)
    select ${tenantId}, "definitionId", part, event, "recordIds", versions, ${at}
    from json_to_recordset(${JSON.stringify(firings)}::text::json)
      as f("definitionId" int, part text, event jsonb, "recordIds" bigint[], versions int[])`
}

/** Where something is to be started: of each tenant its definitions. */
export interface FiringPlace {
  readonly tenantId: number
  readonly definitionId: number
}

/** Each definition of which something is due, once, behind one of them. As the look-up role. */
export async function listFiringPlaces(tx: Tx, after: FiringPlace, limit: number): Promise<FiringPlace[]> {
  return tx<FiringPlace[]>`
    with recursive places as (
      (select f.tenant_id, f.definition_id from platform.trigger_firing f
       where (f.tenant_id, f.definition_id) > (${after.tenantId}::int, ${after.definitionId}::int)
       order by f.tenant_id, f.definition_id limit 1)
      union all
      select next.tenant_id, next.definition_id from places p, lateral (
        select f.tenant_id, f.definition_id from platform.trigger_firing f
        where (f.tenant_id, f.definition_id) > (p.tenant_id, p.definition_id)
        order by f.tenant_id, f.definition_id limit 1) next
    )
    select tenant_id, definition_id from places p
    where exists (select from platform.trigger_firing f
      where f.tenant_id = p.tenant_id and f.definition_id = p.definition_id and f.next_at <= now())
    limit ${limit}`
}

/** The oldest of a definition that is due. */
export async function findDueFiring(tx: Tx, tenantId: number, definitionId: number): Promise<Firing | undefined> {
  const [row] = await tx<Firing[]>`
    select firing_id, definition_id, part, event, record_ids, versions, done, kept_ids, tries
    from platform.trigger_firing
    where tenant_id = ${tenantId} and definition_id = ${definitionId} and next_at <= now()
    order by firing_id limit 1`
  return row
}

/** The same one, where it is still there and nobody else holds it. */
export async function lockFiring(tx: Tx, tenantId: number, firingId: number): Promise<Firing | undefined> {
  const [row] = await tx<Firing[]>`
    select firing_id, definition_id, part, event, record_ids, versions, done, kept_ids, tries
    from platform.trigger_firing
    where tenant_id = ${tenantId} and firing_id = ${firingId} and next_at <= now()
    for update skip locked`
  return row
}

export async function deleteFiring(tx: Tx, tenantId: number, firingId: number): Promise<void> {
  await tx`delete from platform.trigger_firing where tenant_id = ${tenantId} and firing_id = ${firingId}`
}

/** How far it was carried on; `kept` are added to those of its batch. */
export async function moveFiring(tx: Tx, tenantId: number, firingId: number, done: number, kept: readonly number[]): Promise<void> {
  await tx`
    update platform.trigger_firing set done = ${done}, kept_ids = kept_ids || ${tx.array([...kept])}::bigint[]
    where tenant_id = ${tenantId} and firing_id = ${firingId}`
}

/** A wait goes on with these records, in this look, behind this step. It has not failed since. */
export async function moveWait(
  tx: Tx,
  tenantId: number,
  firingId: number,
  { done, look, after: { runId, stepNo } }: { readonly done: number } & WaitPlace,
): Promise<void> {
  await tx`
    update platform.trigger_firing set done = ${done}, kept_ids = ${tx.array([look, runId, stepNo])}::bigint[], tries = 0
    where tenant_id = ${tenantId} and firing_id = ${firingId}`
}

/** Until a user who is suspended is so no more. */
export const suspendedSeconds = 60

/** `isFailed` false: it is looked at later, and nothing went wrong. */
export async function putOffFiring(tx: Tx, tenantId: number, firingId: number, seconds: number, isFailed = true): Promise<void> {
  await tx`
    update platform.trigger_firing set tries = tries + ${isFailed ? 1 : 0}::int, next_at = now() + make_interval(secs => ${seconds}::int)
    where tenant_id = ${tenantId} and firing_id = ${firingId}`
}

/** Counts the records for which a cause starts runs of a definition; answers how many there were before. */
export async function countCaused(
  tx: Tx,
  tenantId: number,
  of: { readonly definitionId: number; readonly cause: string; readonly at: string },
  more: number,
): Promise<number> {
  const [row] = await tx<{ before: number }[]>`
    insert into platform.trigger_cause (tenant_id, definition_id, cause, records, at)
    values (${tenantId}, ${of.definitionId}, ${of.cause}, ${more}, ${of.at})
    on conflict (tenant_id, definition_id, cause) do update set records = trigger_cause.records + excluded.records, at = excluded.at
    returning (records - ${more})::float8 as before`
  return row?.before ?? 0
}

const keptDays = 7

/** What nobody counts on any more. As the look-up role. */
export async function deleteOldCauses(tx: Tx): Promise<void> {
  await tx`delete from platform.trigger_cause where at < now() - ${`${keptDays} days`}::interval`
}
