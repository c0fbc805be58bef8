import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleRows, reportSlot, rowsOfReport, runInput } from './reports.schema.ts'
import { answerRun, prepareRun } from './running.ts'
import { soundReport } from './shown.ts'

export const executeReport = defineOperation({
  ...reads(rowsOfReport),
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'execute_report',
  title: 'Run a report',
  description:
    'A page of the rows of a saved report, with values for its parameters. list_reports gives the names, get_report the parameters.',
  method: 'POST',
  path: '/api/v1/reports/{report}/execute',
  roles: 'DataView',
  input: z.object({ report: reportSlot, ...runInput }),
  examples: [{ title: 'Since February', input: { report: 'HoursByStatus', params: { since: '2026-02-01' } }, output: exampleRows }],
  async handler(context, { report, ...options }) {
    const catalog = await cachedCatalog(context)
    const sound = await soundReport(context, catalog, report)
    return answerRun(context, await prepareRun(context, catalog, sound, options), options)
  },
})
