import { z } from 'zod'

import { defineStagedOperation, writes } from '#platform/operation.ts'
import { ownerOf } from '#tools/assets/service.ts'
import { exported, format } from '#tools/exports/exports.schema.ts'
import { exportRecords, rowsAtOnce } from '#tools/exports/service.ts'
import { queueJob } from '#tools/jobs/service.ts'
import { filterRules } from '#tools/query/query.schema.ts'
import { countRowsOf } from '#tools/query/service.ts'

import { noteExportOf, planExport, viewExportKind, type ViewExportInput } from './exporting.ts'
import { entity, viewSlot } from './views.schema.ts'

export const exportView = defineStagedOperation({
  ...writes(exported),
  errors: ['not_found', 'unknown_property'],
  name: 'export_view',
  title: 'Export a view',
  description:
    'Writes all records of a view, its columns alone, into a file: answers assetKey and rows, or past 5,000 rows a job whose result has them (await_job). Then download_asset.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views/{view}/export',
  roles: 'DataView',
  input: z.object({ entity, view: viewSlot, format, filterRules: filterRules.optional() }),
  examples: [
    {
      title: 'As a spreadsheet',
      input: { entity: 'WorkOrder', view: 'OpenOrders', format: 'xlsx' },
      output: { assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10', rows: 42 },
    },
  ],
  async stagedHandler(context, input) {
    const begun = await context.inTransaction(async (inner) => {
      const plan = await planExport(inner, input.entity, input.view, input.filterRules)
      if ((await countRowsOf(inner, plan.frame, plan, rowsAtOnce + 1)) <= rowsAtOnce) return { plan }
      const of: ViewExportInput = {
        entityId: plan.frame.entity.entityId,
        viewId: plan.viewId,
        format: input.format,
        filterRules: input.filterRules,
        roleFlag: inner.actor.roleFlag,
      }
      const job = await queueJob(inner, { kind: viewExportKind, operation: 'export_view', requiredRoles: 'DataView', input: of })
      return { job }
    })
    if ('job' in begun) {
      context.audit({ jobId: begun.job.jobId })
      return begun.job
    }
    const { name, isSensitive, viewId } = begun.plan
    const done = await exportRecords({
      owner: ownerOf(context),
      name,
      format: input.format,
      isSensitive,
      read: (work) => context.inTransaction(work, { readOnly: true }),
      plan: (inner) => planExport(inner, input.entity, input.view, input.filterRules),
      onStored: noteExportOf(viewId),
    })
    context.audit({ assetKey: done.assetKey, rows: done.rows })
    return done
  },
})
