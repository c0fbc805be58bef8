/** SQL of how far the steps of a run are. */
import type { Tx } from '#platform/db/pool.ts'

import type { StepMark } from '../definition/diagram.rules.ts'

/** How far each step of a run is: as it was carried out last, and how often it was begun. What was withdrawn counts as skipped. */
export async function listMarks(tx: Tx, tenantId: number, runId: number): Promise<readonly (StepMark & { readonly step: string })[]> {
  return tx<(StepMark & { step: string })[]>`
    select distinct on (step) step, count(*) over (partition by step)::int as times,
      case when is_waiting then 'waiting' when state = 'withdrawn' then 'skipped' else state end as state
    from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId}
    order by step, step_no desc`
}
