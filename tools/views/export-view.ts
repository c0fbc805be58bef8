import { z } from 'zod'

import { defineStagedOperation, writes } from '#platform/operation.ts'
import { exported, format } from '#tools/exports/exports.schema.ts'
import { exportOrQueue } from '#tools/exports/service.ts'
import { filterRules } from '#tools/query/query.schema.ts'

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
    const { entity: of, view, filterRules: filter } = input
    return exportOrQueue(context, {
      format: input.format,
      plan: (inner) => planExport(inner, of, view, filter),
      onStored: ({ viewId }) => noteExportOf(viewId),
      job(inner, plan) {
        const { roleFlag } = inner.actor
        const { entityId, viewId } = plan
        const asked: ViewExportInput = { entityId, viewId, format: input.format, filterRules: filter, roleFlag }
        return { kind: viewExportKind, operation: 'export_view', input: asked }
      },
    })
  },
})
