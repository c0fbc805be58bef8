import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleReport, report, reportSlot } from './reports.schema.ts'
import { placeOfReports, showReport } from './shown.ts'

export const getReport = defineOperation({
  ...reads(report),
  name: 'get_report',
  title: 'Get a report',
  description: 'One report with its definitionJson: joins, groups, aggregates, filters, parameters. execute_report runs it.',
  method: 'POST',
  path: '/api/v1/reports/{report}',
  roles: 'DataView',
  input: z.object({ report: reportSlot }),
  examples: [{ title: 'By name', input: { report: 'HoursByStatus' }, output: exampleReport }],
  async handler(context, input) {
    return showReport(context, await cachedCatalog(context), await mustFindDefinition(context, placeOfReports, input.report))
  },
})
