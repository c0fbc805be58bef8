/** An export that a call begins: the file where there are few rows, else the job that writes it. */
import type { StagedContext, TxContext } from '#platform/operation.ts'
import { ownerOf } from '#tools/assets/service.ts'
import type { Job } from '#tools/jobs/jobs.schema.ts'
import { type JobRequest, queueJob } from '#tools/jobs/service.ts'

import type { Format } from './exports.schema.ts'
import { type Exported, type ExportPlan, type ExportRequest, writeExport } from './write-export.ts'

/** Written in the call that asks; what is larger is for a job. */
const rowsAtOnce = 5_000

/** What goes into a file, and what the file is called, without its extension. */
export interface NamedPlan extends ExportPlan, Pick<ExportRequest, 'name' | 'isSensitive'> {}

export interface ExportWish<Plan extends NamedPlan> {
  readonly format: Format
  plan(context: TxContext): Promise<Plan>
  /** The job that does the same; for who reads records unless it says otherwise. */
  job(context: TxContext, plan: Plan): Pick<JobRequest, 'kind' | 'operation' | 'input'> & Partial<Pick<JobRequest, 'requiredRoles'>>
  readonly onStored?: (plan: Plan) => ExportRequest['onStored']
}

/** Queues the job that does it, however few rows there are. */
export async function queueExport<Plan extends NamedPlan>(
  context: StagedContext,
  wish: Pick<ExportWish<Plan>, 'plan' | 'job'>,
): Promise<Job> {
  const job = await context.inTransaction(async (inner) =>
    queueJob(inner, { requiredRoles: 'DataView', ...wish.job(inner, await wish.plan(inner)) }),
  )
  context.audit({ jobId: job.jobId })
  return job
}

/** Answers the file, or the job whose result has it. */
export async function exportOrQueue<Plan extends NamedPlan>(context: StagedContext, wish: ExportWish<Plan>): Promise<Exported | Job> {
  const begun = await context.inTransaction(async (inner) => {
    const plan = await wish.plan(inner)
    const total = await plan.content.count(inner, rowsAtOnce + 1)
    if (total <= rowsAtOnce) return { plan, total }
    return { job: await queueJob(inner, { requiredRoles: 'DataView', ...wish.job(inner, plan) }) }
  })
  if ('job' in begun) {
    context.audit({ jobId: begun.job.jobId })
    return begun.job
  }
  const { name, isSensitive } = begun.plan
  const onStored = wish.onStored?.(begun.plan)
  const done = await writeExport({
    owner: ownerOf(context),
    name,
    format: wish.format,
    isSensitive,
    read: (work) => context.inTransaction(work, { readOnly: true }),
    plan: wish.plan,
    onRows: (rows) => context.tellProgress?.({ done: rows, total: begun.total }),
    ...(onStored && { onStored }),
  })
  context.audit({ assetKey: done.assetKey, rows: done.rows })
  return done
}
