import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { definitionJson, exampleDefinition, exampleRows, rowsOfReport, runInput } from './reports.schema.ts'
import { answerRun, prepareRun } from './running.ts'
import { soundDraft } from './shown.ts'

export const executeReportInline = defineOperation({
  ...reads(rowsOfReport),
  errors: ['unknown_property', 'unknown_entity'],
  name: 'execute_report_inline',
  title: 'Run a report that is not saved',
  description:
    'A page of the rows of a report as it is sent: joins over entities, groups, aggregates, filters. describe_entity and list_entity_relationships give the names; of one entity aggregate_instances is shorter.',
  method: 'POST',
  path: '/api/v1/reports/execute',
  roles: 'DataView',
  input: z.object({ definitionJson, ...runInput }),
  examples: [{ title: 'Hours by status', input: { definitionJson: exampleDefinition }, output: exampleRows }],
  async handler(context, { definitionJson: said, ...options }) {
    const catalog = await cachedCatalog(context)
    return answerRun(context, await prepareRun(context, catalog, await soundDraft(catalog, said), options), options)
  },
})
