import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, type TxContext, writes } from '#platform/operation.ts'
import { exported, format } from '#tools/exports/exports.schema.ts'
import { exportOrQueue, queueExport } from '#tools/exports/service.ts'

import { planExport, reportExportKind, type ReportExportInput, type ReportPlan } from './exporting.ts'
import { reportSlot, runInput } from './reports.schema.ts'

export const exportReport = defineStagedOperation({
  ...writes(exported),
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'export_report',
  title: 'Export a report',
  description:
    'Writes all rows of a report into a file: answers assetKey and rows, or past 5,000 rows, or where the report takes long, a job whose result has them (await_job). Then download_asset.',
  method: 'POST',
  path: '/api/v1/reports/{report}/export',
  roles: 'DataView',
  input: z.object({ report: reportSlot, format, params: runInput.params }),
  examples: [
    {
      title: 'As a spreadsheet',
      input: { report: 'HoursByStatus', format: 'xlsx', params: { since: '2026-02-01' } },
      output: { assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10', rows: 42 },
    },
  ],
  async stagedHandler(context, input) {
    const { params } = input
    const wish = {
      format: input.format,
      plan: (inner: TxContext) => planExport(inner, input.report, params),
      job(inner: TxContext, { reportId }: ReportPlan) {
        const asked: ReportExportInput = { reportId, format: input.format, params, roleFlag: inner.actor.roleFlag }
        return { kind: reportExportKind, operation: 'export_report', input: asked }
      },
    }
    try {
      return await exportOrQueue(context, wish)
    } catch (error) {
      // A report that takes longer than a call may is what a job is for.
      if (!(error instanceof AppError) || error.code !== 'timeout') throw error
      return queueExport(context, wish)
    }
  },
})
