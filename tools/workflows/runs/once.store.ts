/** SQL of what loops have gone over that go over each element once. */
import type { Tx } from '#platform/db/pool.ts'

export interface OnceOf {
  readonly workflowId: number
  readonly step: string
  readonly runId: number
  readonly stepNo: number
  readonly at: string
}

/** Takes those of the keys that nobody took, and answers those that are this step's. */
export async function takeOnce(tx: Tx, tenantId: number, of: OnceOf, keys: readonly string[]): Promise<ReadonlySet<string>> {
  await tx`
    insert into platform.workflow_once (tenant_id, workflow_id, step, key, run_id, step_no, at)
    select ${tenantId}, ${of.workflowId}, ${of.step}, key, ${of.runId}, ${of.stepNo}, ${of.at}
    from unnest(${tx.array([...keys])}::text[]) key
    order by key
    on conflict do nothing`
  const rows = await tx<{ key: string }[]>`
    select key from platform.workflow_once
    where tenant_id = ${tenantId} and workflow_id = ${of.workflowId} and step = ${of.step} and key = any (${tx.array([...keys])}::text[])
      and run_id = ${of.runId} and step_no = ${of.stepNo}`
  return new Set(rows.map(({ key }) => key))
}
