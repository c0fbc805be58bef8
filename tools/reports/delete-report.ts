import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { mustFindDefinition, removeDefinition } from '#tools/definitions/service.ts'

import { reportDefinitionId, reportSlot } from './reports.schema.ts'
import { placeOfReports } from './shown.ts'

export const deleteReport = defineOperation({
  ...destroys(z.object({ reportDefinitionId, deleted: z.literal(true) })),
  name: 'delete_report',
  title: 'Delete a report',
  description: 'Deletes a report; the records stay. For its owner and builders.',
  method: 'DELETE',
  path: '/api/v1/reports/{report}',
  roles: 'DataEdit',
  input: z.object({ report: reportSlot, force }),
  examples: [{ title: 'By name', input: { report: 'HoursByStatus' }, output: { reportDefinitionId: 10_140, deleted: true } }],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const row = await mustFindDefinition(context, placeOfReports, input.report)
      await removeDefinition(context, row, input.force)
      return { reportDefinitionId: row.definitionId, deleted: true as const }
    })
  },
})
