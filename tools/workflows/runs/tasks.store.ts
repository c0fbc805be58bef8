/** The SQL of tasks: steps that wait for a person. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import type { StepRow } from './runs.types.ts'
import { columns } from './steps.store.ts'

export interface TaskRow extends StepRow {
  readonly runId: number
  readonly workflowId: number
  readonly version: number
  readonly internalName: string
  readonly entityId: number | null
  readonly eiRecordId: number | null
}

interface Doer {
  readonly tenantUserId: number
  readonly roleFlag: number
}

/** Tasks for a user, by name or by a role. */
const isTaskFor = (tx: Tx, tenantId: number, { tenantUserId, roleFlag }: Doer) => tx`
  tenant_id = ${tenantId} and is_waiting and step_type in ('form', 'approval')
  and (assignee_user = ${tenantUserId}::int or ${tenantUserId}::int = any (assignee_users)
    or (assignee_role is not null and assignee_role & ${roleFlag}::int = assignee_role))`

/** The newest first. `before` is the place of the last one of the page before. */
export async function listTasks(
  tx: Tx,
  tenantId: number,
  doer: Doer,
  page: PageRequest,
  before: readonly [runId: number, stepNo: number] | null,
): Promise<Found<TaskRow>> {
  const [runId, stepNo] = before ?? [null, null]
  return fetchPage<TaskRow>(
    tx,
    page,
    tx`
      select s.*, r.workflow_id, r.version, r.internal_name, r.entity_id, r.ei_record_id
      from (
        select run_id, ${columns(tx)} from platform.workflow_step_run
        where ${isTaskFor(tx, tenantId, doer)}
          and (${runId}::bigint is null or (run_id, step_no) < (${runId}::bigint, ${stepNo}::int))
      ) s
      join platform.workflow_run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id and r.finished_date is null
      order by s.run_id desc, s.step_no desc`,
  )
}

export async function countTasks(tx: Tx, tenantId: number, doer: Doer, page: PageRequest): Promise<Total> {
  return countPage(
    tx,
    page,
    tx`
      from (select run_id from platform.workflow_step_run where ${isTaskFor(tx, tenantId, doer)}) s
      join platform.workflow_run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id and r.finished_date is null`,
  )
}
