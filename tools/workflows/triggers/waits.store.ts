/** SQL of steps that wait for what a trigger would fire on. */
import type { Tx } from '#platform/db/pool.ts'

export interface AwaitingStep {
  readonly runId: number
  readonly stepNo: number
  /** Null: any record. */
  readonly awaitsRecord: number | null
}

export interface Awaited {
  readonly trigger: string
  /** What happened is about these. */
  readonly recordIds: readonly number[]
  readonly at: string
  readonly after: Pick<AwaitingStep, 'runId' | 'stepNo'>
  readonly limit: number
}

/** The steps that waited for it when it happened, those about its records and those about any, behind one of them; the oldest runs first. */
export async function listAwaiting(tx: Tx, tenantId: number, { trigger, recordIds, at, after, limit }: Awaited): Promise<AwaitingStep[]> {
  return tx<AwaitingStep[]>`
    select run_id, step_no, awaits_record from platform.workflow_step_run
    where tenant_id = ${tenantId} and awaits_trigger = ${trigger} and is_waiting and begun_at <= ${at}
      and (awaits_record is null or awaits_record = any (${tx.array([...recordIds])}::bigint[]))
      and (run_id, step_no) > (${after.runId}::bigint, ${after.stepNo}::int)
    order by run_id, step_no
    limit ${limit}`
}

/** The versions of a definition whose runs are under way. */
export async function listVersionsUnderWay(tx: Tx, tenantId: number, workflowId: number): Promise<number[]> {
  const rows = await tx<{ version: number }[]>`
    select distinct version from platform.workflow_run where tenant_id = ${tenantId} and workflow_id = ${workflowId} and finished_date is null`
  return rows.map(({ version }) => version)
}

/** Whether a step of a run of the definition waits for what a trigger would fire on. */
export async function hasWaits(tx: Tx, tenantId: number, workflowId: number): Promise<boolean> {
  const [row] = await tx`
    select from platform.workflow_run r
    join platform.workflow_step_run s on s.tenant_id = r.tenant_id and s.run_id = r.run_id and s.is_waiting and s.awaits_trigger is not null
    where r.tenant_id = ${tenantId} and r.workflow_id = ${workflowId} and r.finished_date is null
    limit 1`
  return row !== undefined
}
