/** SQL of how runs begin: made in masses, held back and let go. */
import type { Tx } from '#platform/db/pool.ts'
import type { Origin } from '#platform/shapes/origin.ts'

import type { PackOf } from '../definition/definition.types.ts'
import type { HeldFor, RunError } from './runs.types.ts'

/** What all starts of one statement share. */
export interface StartsOf {
  readonly workflowId: number
  readonly version: number
  readonly internalName: string
  readonly pack: PackOf | undefined
  readonly actsAs: number
  readonly roleFlag: number
  readonly variables: unknown
  readonly expiresAt: string
  readonly startsPerMinute: number
  /** Of those that are not held. */
  readonly begins: 'queued' | 'running'
  readonly at: string
}

export interface NewRun {
  readonly entityId: number | null
  readonly eiRecordId: number | null
  readonly depth: number
  readonly startedBy: number | null
  readonly causedBy: Origin | null
  readonly startKey: string | null
  readonly triggerType: string | null
  readonly input: unknown
  readonly trigger: unknown
  readonly valueBytes: number
  /** It is refused: it has failed. */
  readonly error: RunError | null
  readonly heldFor: HeldFor | null
}

export interface InsertedRun {
  readonly runId: number
  readonly place: number
  readonly heldFor: HeldFor | null
}

/**
 * Rows of runs, by their place in the list; none for those that the same event has started before. Past so many of the workflow within a minute, and behind
 * others that wait for that, they are held.
 */
export async function insertRuns(tx: Tx, tenantId: number, of: StartsOf, runs: readonly NewRun[]): Promise<InsertedRun[]> {
  const rows = runs.map((run, place) => ({ place, ...run }))
  const { workflowId, startsPerMinute, at } = of
  return tx<InsertedRun[]>`
    with room as (
      select case when exists (
          select from platform.workflow_run where tenant_id = ${tenantId} and workflow_id = ${workflowId} and held_for = 'rate') then 0
        else ${startsPerMinute}::int - (
          select count(*) from (
            select from platform.workflow_run
            where tenant_id = ${tenantId} and workflow_id = ${workflowId} and released_at > ${at}::timestamptz - interval '1 minute'
            limit ${startsPerMinute}) recent) end as left_over
    ), given as (
      select g.*, nextval('platform.workflow_run_run_id_seq') as run_id,
        count(*) filter (where error is null and "heldFor" is null) over (order by place) as nth
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as g(place int, "entityId" int, "eiRecordId" bigint, depth int, "startedBy" int,
        "causedBy" jsonb, "startKey" text, input jsonb, trigger jsonb, "valueBytes" int, error jsonb, "heldFor" text, "triggerType" text)
      where "startKey" is null or not exists (
        select from platform.workflow_run k where k.tenant_id = ${tenantId} and k.workflow_id = ${workflowId} and k.start_key = g."startKey")
    ), held as (
      select given.*, case when error is null then coalesce("heldFor", case when nth > left_over then 'rate' end) end as held_for from given, room
    ), inserted as (
      insert into platform.workflow_run (tenant_id, run_id, workflow_id, version, internal_name, pack, pack_version, state, entity_id, ei_record_id, acts_as, role_flag,
        depth, started_by, caused_by, start_key, input, trigger, variables, error, log_seq, value_bytes, expires_at, created_date, finished_date,
        held_for, released_at, trigger_type)
      overriding system value
      select ${tenantId}, run_id, ${workflowId}, ${of.version}, ${of.internalName}, ${of.pack?.name ?? null}::text, ${of.pack?.version ?? null}::text,
        case when error is not null then 'failed' when held_for is null then ${of.begins} else 'queued' end, "entityId",
        "eiRecordId", ${of.actsAs}, ${of.roleFlag}, depth, "startedBy", "causedBy", "startKey", input, trigger,
        ${JSON.stringify(of.variables)}::text::jsonb, error, 1, "valueBytes", ${of.expiresAt}, ${at}::timestamptz,
        case when error is not null then ${at}::timestamptz end, held_for, case when error is null and held_for is null then ${at}::timestamptz end,
        "triggerType"
      from held order by place
      on conflict (tenant_id, workflow_id, start_key) do nothing
      returning run_id
    )
    select run_id, place, held_for from held join inserted using (run_id) order by place`
}

/** The first line of each run's log. */
export async function insertFirstLines(
  tx: Tx,
  tenantId: number,
  at: string,
  lines: readonly {
    readonly runId: number
    readonly event: string
    readonly by?: number | null
    readonly input?: unknown
    readonly error?: RunError | null
    readonly comment?: string
  }[],
): Promise<void> {
  await tx`
    insert into platform.workflow_log (tenant_id, run_id, seq, at, event, by_user, input, error, comment)
    select ${tenantId}, "runId", 1, ${at}, event, by, input, error, comment
    from json_to_recordset(${JSON.stringify(lines)}::text::json)
      as l("runId" bigint, event text, by int, input jsonb, error jsonb, comment text)`
}

/** Starts of one workflow follow each other until the transaction ends. */
export async function lockStarts(tx: Tx, tenantId: number, workflowId: number): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`starts ${tenantId} ${workflowId}`}, 0))`
}

/** Those of the records about which a run of the workflow has not ended; 0 stands for none. */
export async function findBusy(tx: Tx, tenantId: number, workflowId: number, recordIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tx<{ recordId: number }[]>`
    select wanted.id as record_id from unnest(${tx.array([...recordIds])}::bigint[]) as wanted(id)
    where exists (
      select from platform.workflow_run
      where tenant_id = ${tenantId} and workflow_id = ${workflowId} and coalesce(ei_record_id, 0) = wanted.id and finished_date is null)`
  return new Set(rows.map(({ recordId }) => recordId))
}

export interface ChainLink {
  readonly runId: number
  readonly internalName: string
}

/** The runs that led to a run, the first first, itself last. */
export async function listChain(tx: Tx, tenantId: number, runId: number, most: number): Promise<ChainLink[]> {
  return tx<ChainLink[]>`
    with recursive chain as (
      select run_id, internal_name, caused_by, 1 as n from platform.workflow_run where tenant_id = ${tenantId} and run_id = ${runId}
      union all
      select r.run_id, r.internal_name, r.caused_by, n + 1
      from chain c join platform.workflow_run r on r.tenant_id = ${tenantId} and r.run_id = (c.caused_by ->> 'id')::bigint
      where c.caused_by ->> 'kind' in ('workflow', 'actionPack') and n < ${most}::int
    )
    select run_id, internal_name from chain order by n desc`
}

/** Where runs are held: of each tenant its workflows. */
export interface HeldPlace {
  readonly tenantId: number
  readonly workflowId: number
}

/** Each place once, behind one of them. As the look-up role; an index is skipped through. */
export async function listHeldPlaces(tx: Tx, after: HeldPlace, limit: number): Promise<HeldPlace[]> {
  return tx<HeldPlace[]>`
    with recursive places as (
      (select r.tenant_id, r.workflow_id from platform.workflow_run r
       where r.held_for is not null and (r.tenant_id, r.workflow_id) > (${after.tenantId}::int, ${after.workflowId}::int)
       order by r.tenant_id, r.workflow_id limit 1)
      union all
      select next.tenant_id, next.workflow_id from places p, lateral (
        select r.tenant_id, r.workflow_id from platform.workflow_run r
        where r.held_for is not null and (r.tenant_id, r.workflow_id) > (p.tenant_id, p.workflow_id)
        order by r.tenant_id, r.workflow_id limit 1) next
    )
    select tenant_id, workflow_id from places limit ${limit}`
}

export interface ReleasedRun {
  readonly runId: number
  readonly version: number
  readonly expiresAt: string
  readonly startedBy: number | null
  readonly input: unknown
  readonly trigger: unknown
}

/** Lets the oldest go that may: within the rate, and none whose turn has not come. Nobody else starts a run of the workflow meanwhile. */
export async function releaseRuns(
  tx: Tx,
  tenantId: number,
  {
    workflowId,
    startsPerMinute,
    begins,
    at,
    limit,
  }: Pick<StartsOf, 'workflowId' | 'startsPerMinute' | 'begins' | 'at'> & {
    readonly limit: number
  },
): Promise<ReleasedRun[]> {
  return tx<ReleasedRun[]>`
    with room as (
      select count(*)::int as taken from (
        select from platform.workflow_run
        where tenant_id = ${tenantId} and workflow_id = ${workflowId} and released_at > ${at}::timestamptz - interval '1 minute'
        limit ${startsPerMinute}) recent
    ), chosen as (
      select r.run_id from platform.workflow_run r
      where r.tenant_id = ${tenantId} and r.workflow_id = ${workflowId} and r.held_for is not null and not r.is_paused
        and (r.held_for = 'rate' or not exists (
          select from platform.workflow_run o
          where o.tenant_id = ${tenantId} and o.workflow_id = ${workflowId} and coalesce(o.ei_record_id, 0) = coalesce(r.ei_record_id, 0)
            and o.run_id < r.run_id and o.finished_date is null))
      order by r.run_id
      limit least(${limit}::int, ${startsPerMinute}::int - (select taken from room))
    )
    update platform.workflow_run r set held_for = null, released_at = ${at}, state = ${begins}
    from chosen where r.tenant_id = ${tenantId} and r.run_id = chosen.run_id and r.held_for is not null
    returning r.run_id, r.version, r.expires_at, r.started_by, r.input, r.trigger`
}

/** Where it is one that waits to begin, it has ended. */
export async function endHeld(tx: Tx, tenantId: number, runId: number, at: string): Promise<boolean> {
  const [row] = await tx`
    update platform.workflow_run set held_for = null, state = 'cancelled', is_paused = false, finished_date = ${at}
    where tenant_id = ${tenantId} and run_id = ${runId} and held_for is not null and finished_date is null
    returning 1`
  return row !== undefined
}

/** The same of all runs of a workflow; answers which they were. */
export async function endAllHeld(tx: Tx, tenantId: number, workflowId: number, at: string): Promise<number[]> {
  const rows = await tx<{ runId: number }[]>`
    update platform.workflow_run set held_for = null, state = 'cancelled', is_paused = false, finished_date = ${at}
    where tenant_id = ${tenantId} and workflow_id = ${workflowId} and held_for is not null and finished_date is null
    returning run_id`
  return rows.map(({ runId }) => runId)
}

/** Has a run that was refused say more. */
export async function setRefusal(tx: Tx, tenantId: number, workflowId: number, startKey: string, error: RunError): Promise<boolean> {
  const [row] = await tx`
    update platform.workflow_run set error = ${JSON.stringify(error)}::text::jsonb
    where tenant_id = ${tenantId} and workflow_id = ${workflowId} and start_key = ${startKey} and state = 'failed'
    returning 1`
  return row !== undefined
}
