import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { createDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleDefinition, exampleReport, report, reportInput } from './reports.schema.ts'
import { placeOfReports, readDraft, showReport } from './shown.ts'

export const createReport = defineOperation({
  ...writes(report),
  errors: ['already_exists', 'unknown_property', 'unknown_entity'],
  name: 'create_report',
  title: 'Create a report',
  description:
    'Saves a report over one or several entities: joins, groups, aggregates, filters, parameters. validate_report checks it, execute_report_inline tries it out; then execute_report.',
  method: 'POST',
  path: '/api/v1/reports',
  roles: 'DataEdit',
  input: reportInput,
  examples: [
    {
      title: 'Hours by status, for everybody',
      input: { internalName: 'HoursByStatus', description: 'Hours logged', isShared: true, definitionJson: exampleDefinition },
      output: exampleReport,
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const { internalName, description = '', isShared = false, isApiVisible = true } = input
      const draft = await readDraft(catalog, input.definitionJson)
      const row = await createDefinition(context, placeOfReports, { internalName, description, isShared, isApiVisible, ...draft })
      return showReport(context, catalog, row)
    })
  },
})
