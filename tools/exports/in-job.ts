/** An export as the one step of a job: what is read is one snapshot, and cannot go on from its middle. */
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { systemOwner } from '#tools/assets/service.ts'
import { finishJob, type RunningJob } from '#tools/jobs/service.ts'

import { allowLongRead } from './exports.store.ts'
import { type Exported, exportRecords, type ExportRequest } from './write-export.ts'

/**
 * Writes the file for whoever started the job, and ends the job in the transaction that shows it. Doing it again is harmless: a file whose job did not
 * end was never shown, and is swept.
 */
export async function exportInJob(
  services: Services,
  job: RunningJob,
  signal: AbortSignal,
  request: Omit<ExportRequest, 'owner' | 'read'>,
): Promise<Exported> {
  const { tenantId, startedBy } = job
  const owner = { ...systemOwner(services, tenantId, signal), tenantUserId: startedBy }
  const read = (work: (context: TxContext) => Promise<void>) =>
    inSystemTransaction(
      services,
      tenantId,
      async (context) => {
        await allowLongRead(context.tx)
        await work(context)
      },
      { tenantUserId: startedBy ?? undefined },
    )
  return exportRecords({
    ...request,
    owner,
    read,
    onStored: async (context, done) => {
      await request.onStored?.(context, done)
      const { assetKey, rows } = done
      await finishJob(context, job, { done: rows, total: rows, result: { assetKey, rows } })
    },
  })
}
