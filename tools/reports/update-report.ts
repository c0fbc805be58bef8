import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { changeDefinition, mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleDefinition, exampleReport, report, reportInput, reportSlot } from './reports.schema.ts'
import { placeOfReports, readDraft, showReport } from './shown.ts'

export const updateReport = defineOperation({
  ...writes(report),
  isIdempotent: true,
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity'],
  name: 'update_report',
  title: 'Change a report',
  description: 'Changes what is named; definitionJson as a whole. For its owner and builders: others copy it with clone_report.',
  method: 'PUT',
  path: '/api/v1/reports/{report}',
  roles: 'DataEdit',
  input: reportInput.partial().extend({ report: reportSlot }),
  examples: [
    {
      title: 'Fewer rows a page',
      input: { report: 'HoursByStatus', definitionJson: { ...exampleDefinition, pageSize: 10 } },
      output: { ...exampleReport, definitionJson: JSON.stringify({ ...exampleDefinition, pageSize: 10 }) },
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const row = await mustFindDefinition(context, placeOfReports, input.report)
      const { internalName, description, isShared, isApiVisible, definitionJson } = input
      const draft = definitionJson === undefined ? {} : await readDraft(catalog, definitionJson)
      const changed = await changeDefinition(context, row, { internalName, description, isShared, isApiVisible, ...draft })
      return showReport(context, catalog, changed)
    })
  },
})
