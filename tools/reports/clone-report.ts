import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { copyDefinition, mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleReport, report, reportSlot } from './reports.schema.ts'
import { placeOfReports, showReport } from './shown.ts'

export const cloneReport = defineOperation({
  ...writes(report),
  name: 'clone_report',
  title: 'Copy a report',
  description: 'Copies a report under a new name, as your own and not shared. update_report then changes the copy.',
  method: 'POST',
  path: '/api/v1/reports/{report}/clone',
  roles: 'DataEdit',
  input: z.object({ report: reportSlot, internalName: newName('report') }),
  examples: [
    {
      title: 'To change it for oneself',
      input: { report: 'HoursByStatus', internalName: 'MyHours' },
      output: { ...exampleReport, reportDefinitionId: 10_141, internalName: 'MyHours', isShared: false },
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const row = await mustFindDefinition(context, placeOfReports, input.report)
      const copy = await copyDefinition(context, placeOfReports, row, input.internalName)
      return showReport(context, await cachedCatalog(context), copy)
    })
  },
})
