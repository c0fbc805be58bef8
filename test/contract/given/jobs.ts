/** Working calls of the job operations. */
import { inSystemTransaction } from '#platform/system.ts'
import { queueJob } from '#tools/jobs/service.ts'

import type { Given, Stage } from '../arrange.ts'

/** As an operation queues one; nothing carries it out here, so it stays as it is. */
async function jobOf({ world, tenant }: Stage): Promise<number> {
  const { jobId } = await inSystemTransaction(world.platform.services, tenant.tenantId, (context) =>
    queueJob(context, { kind: 'contract', operation: 'import_instances', requiredRoles: 'DataImport', input: {}, total: 3 }),
  )
  return jobId
}

const onJob = async (stage: Stage) => ({ input: { jobId: await jobOf(stage) } })

export const given: Given = {
  async list_jobs(stage) {
    await jobOf(stage)
    return { input: { states: ['queued'], kind: 'contract' } }
  },
  get_job: onJob,
  await_job: async (stage) => ({ input: { jobId: await jobOf(stage), timeoutSeconds: 0 } }),
  cancel_job: onJob,
  async retry_job(stage) {
    const jobId = await jobOf(stage)
    await stage.call('cancel_job', { jobId })
    return { input: { jobId } }
  },
  async get_job_log(stage) {
    const jobId = await jobOf(stage)
    await stage.call('cancel_job', { jobId })
    return { input: { jobId }, varying: ['at'] }
  },
}
