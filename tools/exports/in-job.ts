/** An export as the one step of a job: what is read is one snapshot, and cannot go on from its middle. */
import { findActingUser } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import type { Actor, TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { systemOwner } from '#tools/assets/service.ts'
import { finishJob, type RunningJob } from '#tools/jobs/service.ts'

import { allowLongRead } from './exports.store.ts'
import { type Exported, type ExportRequest, writeExport } from './write-export.ts'

/**
 * Whoever started an export, with the roles of that call as far as they still have them. Throws AppError `forbidden` where they have none that they need any
 * more: DataView unless told.
 */
export async function starterOf(
  services: Services,
  { tenantId, startedBy }: RunningJob,
  roleFlag: number,
  needed: number = roleBits.DataView,
): Promise<Actor> {
  const user = startedBy === null ? undefined : await findActingUser(services.databases, { tenantId, tenantUserId: startedBy })
  const held = (user?.actor.roleFlag ?? 0) & roleFlag
  if (!user || (held & needed) === 0) throw new AppError('forbidden', 'Whoever started the export may no longer read what it is of.')
  return { ...user.actor, roleFlag: held }
}

/** Writes a file of a job's for its starter, in the zone and language of whom it is for. `onStored` is where the job goes on. */
export async function writeInJob(
  services: Services,
  { tenantId }: RunningJob,
  actor: Actor,
  signal: AbortSignal,
  { shownIn, ...request }: Omit<ExportRequest, 'owner' | 'read'> & Pick<TxContext, 'shownIn'>,
): Promise<Exported> {
  const owner = { ...systemOwner(services, tenantId, signal), tenantUserId: actor.tenantUserId }
  const read = (work: (context: TxContext) => Promise<void>) =>
    inSystemTransaction(
      services,
      tenantId,
      async (context) => {
        await allowLongRead(context.tx)
        await work({ ...context, actor, shownIn })
      },
      { tenantUserId: actor.tenantUserId },
    )
  return writeExport({ ...request, owner, read })
}

/**
 * Writes the file for whoever started the job, and ends the job in the transaction that shows it. Doing it again is harmless: a file whose job did not
 * end was never shown, and is swept.
 */
export async function exportInJob(
  services: Services,
  job: RunningJob,
  actor: Actor,
  signal: AbortSignal,
  request: Omit<ExportRequest, 'owner' | 'read'>,
): Promise<Exported> {
  return writeInJob(services, job, actor, signal, {
    ...request,
    onStored: async (context, done) => {
      await request.onStored?.(context, done)
      const { assetKey, rows } = done
      await finishJob(context, job, { done: rows, total: rows, result: { assetKey, rows } })
    },
  })
}
