import { z } from 'zod'

import { defineStagedOperation, writes } from '#platform/operation.ts'
import { exported, format } from '#tools/exports/exports.schema.ts'
import { exportOrQueue } from '#tools/exports/service.ts'
import { entity, filterRules } from '#tools/query/query.schema.ts'

import { type InstanceExportInput, instanceExportKind, planExport } from './exporting.ts'

export const exportInstances = defineStagedOperation({
  ...writes(exported),
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'export_instances',
  title: 'Export records',
  description:
    'Writes the records of an entity that a filter selects into a file: answers assetKey and rows, or past 5,000 rows a job whose result has them (await_job). Then download_asset. import_instances reads it back.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/export',
  roles: 'DataView',
  input: z.object({
    entity,
    format,
    filterRules: filterRules.optional(),
    properties: z
      .array(z.string().max(64))
      .min(1)
      .max(300)
      .optional()
      .describe('internalNames, and fields such as modifiedDate: the columns behind externalKey; all properties unless told'),
  }),
  examples: [
    {
      title: 'Open work orders as a spreadsheet',
      input: { entity: 'WorkOrder', format: 'xlsx', filterRules: [{ property: 'Status', op: 'eq', value: 'open' }] },
      output: { assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10', rows: 42 },
    },
  ],
  async stagedHandler(context, input) {
    return exportOrQueue(context, {
      format: input.format,
      plan: (inner) => planExport(inner, input.entity, input),
      job(inner, { entityId, columns }) {
        const asked: InstanceExportInput = {
          entityId,
          format: input.format,
          filterRules: input.filterRules,
          properties: columns.map((column) => ('property' in column ? column.property.propertyId : column.name)),
          roleFlag: inner.actor.roleFlag,
        }
        return { kind: instanceExportKind, operation: 'export_instances', input: asked }
      },
    })
  },
})
