/** All SQL of schedules. */
import type { Tx } from '#platform/db/pool.ts'

/** A schedule that is to be looked at, as the look-up role sees it. */
export interface DueSchedule {
  readonly tenantId: number
  readonly scheduleId: number
}

export interface ScheduleRow {
  readonly scheduleId: number
  readonly kind: string
  readonly definitionId: number
  readonly part: string
  readonly ownerId: number
  readonly roleFlag: number
  readonly everyMinutes: number | null
  readonly countedFrom: string | null
  readonly cron: string | null
  readonly timeZone: string | null
  readonly input: unknown
  readonly nextDue: string | null
  readonly firedAt: string | null
  readonly jobId: number | null
  readonly stoppedReason: string | null
}

/** Whose schedule: a definition has one of each kind and part. */
export interface ScheduleOf {
  readonly kind: string
  readonly definitionId: number
  /** The one and only unless told. */
  readonly part?: string
}

export interface NewSchedule extends ScheduleOf {
  readonly ownerId: number
  readonly roleFlag: number
  readonly everyMinutes: number | null
  readonly countedFrom: string | null
  readonly cron: string | null
  readonly timeZone: string | null
  readonly input: unknown
  readonly nextDue: string
}

const columns = (tx: Tx) => tx`
  schedule_id, kind, definition_id, part, owner_id, role_flag, every_minutes, counted_from, cron, time_zone, input, next_due, fired_at, job_id, stopped_reason`

/** Of all tenants but those that are passed over, the longest due first. As the look-up role; an index finds them. */
export async function listDue(tx: Tx, passed: readonly number[], limit: number): Promise<DueSchedule[]> {
  return tx<DueSchedule[]>`
    select tenant_id, schedule_id from platform.schedule
    where next_look <= now() and tenant_id <> all(${tx.array([...passed])}::int[])
    order by next_look, schedule_id
    limit ${limit}`
}

/**
 * Has those looked at again whose work was queued at a time that is still to come: the database's clock was set back since, and they would wait until it is
 * there again. As the look-up role.
 */
export async function lookAtThoseAhead(tx: Tx): Promise<void> {
  await tx`
    update platform.schedule set next_look = now()
    where fired_at > now() + interval '3 minutes' and next_look > now()`
}

/** Who owns a schedule, where it is still to be looked at. */
export async function findOwner(tx: Tx, tenantId: number, scheduleId: number): Promise<number | undefined> {
  const [row] = await tx<{ ownerId: number }[]>`
    select owner_id from platform.schedule where tenant_id = ${tenantId} and schedule_id = ${scheduleId} and next_look <= now()`
  return row?.ownerId
}

/** A schedule that is to be looked at, held until the transaction ends. Undefined where it is not, or another process holds it. */
export async function lockDue(tx: Tx, tenantId: number, scheduleId: number, ownerId: number): Promise<ScheduleRow | undefined> {
  const [row] = await tx<ScheduleRow[]>`
    select ${columns(tx)} from platform.schedule
    where tenant_id = ${tenantId} and schedule_id = ${scheduleId} and owner_id = ${ownerId} and next_look <= now()
    for no key update skip locked`
  return row
}

export interface Move {
  readonly nextDue: string
  /** What was queued for the due time that is passed; undefined where nothing was. */
  readonly fired?: { readonly at: string; readonly jobId: number | undefined } | undefined
}

/** Moves a schedule that the transaction holds to its next due time. */
export async function moveOn(tx: Tx, tenantId: number, scheduleId: number, { nextDue, fired }: Move): Promise<void> {
  await tx`
    update platform.schedule
    set next_due = ${nextDue}, next_look = ${nextDue}, fired_at = coalesce(${fired?.at ?? null}::timestamptz, least(fired_at, now())),
      job_id = coalesce(${fired?.jobId ?? null}::bigint, job_id)
    where tenant_id = ${tenantId} and schedule_id = ${scheduleId}`
}

/** Ends a schedule that is to be looked at, with the reason that its readers are shown. */
export async function markStopped(tx: Tx, tenantId: number, scheduleId: number, ownerId: number, reason: string): Promise<void> {
  await tx`
    update platform.schedule set next_due = null, next_look = null, stopped_reason = ${reason}
    where tenant_id = ${tenantId} and schedule_id = ${scheduleId} and owner_id = ${ownerId} and next_look <= now()`
}

/** Has one looked at later, or all of the tenant's; what is due stays due. */
export async function putOff(tx: Tx, tenantId: number, scheduleId: number | null, seconds: number): Promise<void> {
  await tx`
    update platform.schedule set next_look = now() + make_interval(secs => ${seconds}::int)
    where tenant_id = ${tenantId} and next_look <= now() and (${scheduleId}::int is null or schedule_id = ${scheduleId})`
}

/** Held until the transaction ends. */
export async function lockSchedule(
  tx: Tx,
  tenantId: number,
  { kind, definitionId, part = '' }: ScheduleOf,
): Promise<ScheduleRow | undefined> {
  const [row] = await tx<ScheduleRow[]>`
    select ${columns(tx)} from platform.schedule
    where tenant_id = ${tenantId} and kind = ${kind} and definition_id = ${definitionId} and part = ${part}
    for no key update`
  return row
}

/** Those of the definitions that have one. */
export async function listSchedules(
  tx: Tx,
  tenantId: number,
  { kind, part = '' }: Omit<ScheduleOf, 'definitionId'>,
  definitionIds: readonly number[],
): Promise<ScheduleRow[]> {
  if (definitionIds.length === 0) return []
  return tx<ScheduleRow[]>`
    select ${columns(tx)} from platform.schedule
    where tenant_id = ${tenantId} and kind = ${kind} and part = ${part} and definition_id = any(${tx.array([...definitionIds])}::int[])`
}

/** Makes the schedule of a definition, or another one of it. */
export async function upsertSchedule(tx: Tx, tenantId: number, schedule: NewSchedule): Promise<void> {
  const { kind, definitionId, part = '', ownerId, roleFlag, everyMinutes, countedFrom, cron, timeZone, nextDue } = schedule
  await tx`
    insert into platform.schedule
      (tenant_id, kind, definition_id, part, owner_id, role_flag, every_minutes, counted_from, cron, time_zone, input, next_due, next_look)
    values (${tenantId}, ${kind}, ${definitionId}, ${part}, ${ownerId}, ${roleFlag}, ${everyMinutes}, ${countedFrom}, ${cron}, ${timeZone},
      ${JSON.stringify(schedule.input)}::text::jsonb, ${nextDue}, ${nextDue})
    on conflict (tenant_id, kind, definition_id, part) do update
    set owner_id = excluded.owner_id, role_flag = excluded.role_flag, every_minutes = excluded.every_minutes, counted_from = excluded.counted_from,
      cron = excluded.cron, time_zone = excluded.time_zone, input = excluded.input, next_due = excluded.next_due, next_look = excluded.next_look,
      stopped_reason = null`
}

export async function switchOff(tx: Tx, tenantId: number, { kind, definitionId, part = '' }: ScheduleOf): Promise<void> {
  await tx`
    update platform.schedule set next_due = null, next_look = null, stopped_reason = null
    where tenant_id = ${tenantId} and kind = ${kind} and definition_id = ${definitionId} and part = ${part}`
}

/** Answers how many there were. */
export async function deleteSchedule(tx: Tx, tenantId: number, { kind, definitionId, part = '' }: ScheduleOf): Promise<number> {
  const { count } = await tx`
    delete from platform.schedule where tenant_id = ${tenantId} and kind = ${kind} and definition_id = ${definitionId} and part = ${part}`
  return count
}

/** Of one kind all that a definition has, but these parts. */
export async function deleteOtherParts(
  tx: Tx,
  tenantId: number,
  { kind, definitionId }: Omit<ScheduleOf, 'part'>,
  parts: readonly string[],
): Promise<void> {
  await tx`
    delete from platform.schedule
    where tenant_id = ${tenantId} and kind = ${kind} and definition_id = ${definitionId} and part <> all (${tx.array([...parts])}::text[])`
}

/** Notes a file that the schedule made, and answers those that are one too many now: of `atMost` the oldest go. */
export async function addFile(tx: Tx, tenantId: number, of: ScheduleOf, assetKey: string, atMost: number): Promise<readonly string[]> {
  const { kind, definitionId, part = '' } = of
  const [row] = await tx<{ dropped: readonly string[] }[]>`
    update platform.schedule
    set file_keys = (file_keys || ${assetKey}::uuid)[greatest(cardinality(file_keys) + 2 - ${atMost}::int, 1):]
    where tenant_id = ${tenantId} and kind = ${kind} and definition_id = ${definitionId} and part = ${part}
    returning (old.file_keys)[:greatest(cardinality(old.file_keys) + 1 - ${atMost}::int, 0)] as dropped`
  return row?.dropped ?? []
}
