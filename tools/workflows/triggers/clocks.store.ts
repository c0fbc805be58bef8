/** SQL of how far the dates of records were looked at. */
import type { Tx } from '#platform/db/pool.ts'

export interface ClockPlace {
  readonly tenantId: number
  readonly triggerId: number
}

export interface Clock {
  readonly triggerId: number
  readonly definitionId: number
  readonly lookedUntil: string
  readonly windowUntil: string | null
  readonly afterId: number
}

/** The clocks of a definition from now on; those that were there go on. */
export async function replaceClocks(
  tx: Tx,
  tenantId: number,
  definitionId: number,
  triggerIds: readonly number[],
  at: string,
): Promise<void> {
  await tx`
    delete from platform.trigger_clock
    where tenant_id = ${tenantId} and definition_id = ${definitionId} and trigger_id <> all (${tx.array([...triggerIds])}::int[])`
  await tx`
    insert into platform.trigger_clock (tenant_id, trigger_id, definition_id, looked_until, next_look)
    select ${tenantId}, id, ${definitionId}, ${at}, ${at} from unnest(${tx.array([...triggerIds])}::int[]) as wanted(id)
    on conflict (tenant_id, trigger_id) do nothing`
}

/** Of all tenants, the longest due first. As the look-up role. */
export async function listDueClocks(tx: Tx, limit: number): Promise<ClockPlace[]> {
  return tx<ClockPlace[]>`
    select tenant_id, trigger_id from platform.trigger_clock where next_look <= now() order by next_look, tenant_id, trigger_id limit ${limit}`
}

/** Undefined where it is not due, or somebody else looks. */
export async function lockClock(tx: Tx, tenantId: number, triggerId: number): Promise<Clock | undefined> {
  const [row] = await tx<Clock[]>`
    select trigger_id, definition_id, looked_until, window_until, after_id from platform.trigger_clock
    where tenant_id = ${tenantId} and trigger_id = ${triggerId} and next_look <= now()
    for update skip locked`
  return row
}

export async function findClock(tx: Tx, tenantId: number, triggerId: number): Promise<Clock | undefined> {
  const [row] = await tx<Clock[]>`
    select trigger_id, definition_id, looked_until, window_until, after_id from platform.trigger_clock
    where tenant_id = ${tenantId} and trigger_id = ${triggerId}`
  return row
}

/** Everything until then was looked at. */
export async function endWindow(tx: Tx, tenantId: number, triggerId: number, until: string, seconds: number): Promise<void> {
  await tx`
    update platform.trigger_clock
    set looked_until = ${until}, window_until = null, after_id = 0, next_look = now() + make_interval(secs => ${seconds}::int)
    where tenant_id = ${tenantId} and trigger_id = ${triggerId}`
}

/** There is more within the window, behind that record. */
export async function moveWindow(tx: Tx, tenantId: number, triggerId: number, until: string, afterId: number): Promise<void> {
  await tx`
    update platform.trigger_clock set window_until = ${until}, after_id = ${afterId}
    where tenant_id = ${tenantId} and trigger_id = ${triggerId}`
}

export async function putOffClock(tx: Tx, tenantId: number, triggerId: number, seconds: number): Promise<void> {
  await tx`
    update platform.trigger_clock set next_look = now() + make_interval(secs => ${seconds}::int)
    where tenant_id = ${tenantId} and trigger_id = ${triggerId}`
}
