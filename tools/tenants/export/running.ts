/**
 * The export of a tenant as a job in the tenant of whoever asked: one archive a step, shown in the transaction that says how far the job has come. A step
 * that dies begins its archive again, and what it left is swept.
 */
import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { roleBits } from '#platform/roles.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { systemOwner } from '#tools/assets/service.ts'
import { fileNameOf, starterOf, writeArchive } from '#tools/exports/service.ts'
import { advanceJob, finishJob, type JobRunner, noteProgress } from '#tools/jobs/service.ts'

import { findTenant } from '../tenants.store.ts'
import { fillPart, type PartLimits } from './part.ts'
import { exportedTables, exportFolder } from './tables.rules.ts'

export const tenantExportKind = 'tenantExport'

const exportInput = z.object({ tenantId: z.int(), startedAt: z.string(), roleFlag: z.int() })
export type TenantExportInput = z.infer<typeof exportInput>

const exportPosition = z.object({
  source: z.tuple([z.int(), z.int()]),
  after: z.unknown().optional(),
  part: z.int(),
  assetKeys: z.array(z.string()),
  totals: z.object({ files: z.int(), rows: z.int(), sizeBytes: z.int() }),
  tables: z.string().optional(),
})

/** By which a position is known to be of other tables: it names its own by their order. */
const tablesNow = exportedTables.map(({ table }) => table).join(' ')

/** A step has five minutes, its last file and the store's own work included. */
const partLimits: PartLimits = { bytes: 512 * 1024 * 1024, ms: 50_000, files: 20_000 }
const nothing = { files: 0, rows: 0, sizeBytes: 0 }

/** The runner, with archives of a size. */
export const tenantExportRunnerOf = (limits: PartLimits): JobRunner => ({
  async step(services, job, signal) {
    const { tenantId, startedAt, roleFlag } = exportInput.parse(job.input)
    const actor = await starterOf(services, job, roleFlag, roleBits.GlobalAdmin)
    const position = job.position === null ? undefined : exportPosition.parse(job.position)
    if (position?.tables !== undefined && position.tables !== tablesNow)
      throw new AppError('conflict', 'The product was updated while the export ran, and has other tables now. Start export_tenant again.')
    const { part = 1, assetKeys = [], totals: before = nothing } = position ?? {}
    const { name, subDomain } = await inSystemTransaction(services, tenantId, async ({ tx }) =>
      mustExist(await findTenant(tx, tenantId), 'tenant'),
    )
    let isDone = false
    await writeArchive({
      owner: { ...systemOwner(services, job.tenantId, signal), tenantUserId: actor.tenantUserId },
      name: `${fileNameOf(subDomain, startedAt)}${part === 1 ? '' : `-${part}`}`,
      folder: exportFolder,
      at: new Date(startedAt),
      fill: (archive) =>
        fillPart(services, archive, {
          of: { tenantId, name, subDomain, startedAt },
          part,
          from: position && { source: position.source, after: position.after },
          before,
          limits,
          signal,
          tell: (done, note) => inSystemTransaction(services, job.tenantId, (context) => noteProgress(context, job, { done, note })),
        }),
      async onStored(context, assetKey, { next, totals }) {
        const keys = [...assetKeys, assetKey]
        const done = totals.files + totals.rows
        isDone = next === undefined
        if (next === undefined)
          await finishJob(context, job, { done, total: done, result: { assetKey: keys[0], assetKeys: keys, ...totals } })
        else await advanceJob(context, job, { done, position: { ...next, part: part + 1, assetKeys: keys, totals, tables: tablesNow } })
      },
    })
    return isDone ? 'done' : 'more'
  },
})

export const tenantExportRunner = tenantExportRunnerOf(partLimits)
