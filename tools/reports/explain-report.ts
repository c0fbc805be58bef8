import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { explainReady } from '#tools/query/service.ts'

import { explain } from './explaining.rules.ts'
import { definitionJson, exampleDefinition, runInput } from './reports.schema.ts'
import { prepareRun } from './running.ts'
import { soundDraft } from './shown.ts'

export const explainReport = defineOperation({
  ...reads(
    z.object({
      verdict: z.enum(['light', 'moderate', 'heavy']),
      cost: z.number().nullable().describe('In units of the planner: for comparing two definitions'),
      summary: z.string(),
      reads: z.array(
        z.object({
          of: z.string().describe('An entity, its earlier versions, or links between peers'),
          by: z.string().describe('scan: one by one; else what the index goes by'),
          estimatedRows: z.number().nullable(),
        }),
      ),
      advice: z.array(z.string()),
    }),
  ),
  errors: ['unknown_property', 'unknown_entity'],
  name: 'explain_report',
  title: 'Explain what a report costs',
  description:
    'Tells before a report is run or saved what it would cost, which records it reads and by which index, and what would help. Nothing is run. Then execute_report_inline.',
  method: 'POST',
  path: '/api/v1/reports/explain',
  roles: 'DataView',
  input: z.object({ definitionJson, params: runInput.params }),
  examples: [
    {
      title: 'Hours by status',
      input: { definitionJson: exampleDefinition },
      output: {
        verdict: 'light',
        cost: 84.2,
        summary:
          'This costs little. WorkOrder: read one by one, about 120 rows. WorkLog: read one by one, about 900 rows. Nothing needs to be done.',
        reads: [
          { of: 'WorkOrder', by: 'scan', estimatedRows: 120 },
          { of: 'WorkLog', by: 'scan', estimatedRows: 900 },
        ],
        advice: [],
      },
    },
  ],
  async handler(context, input) {
    const catalog = await cachedCatalog(context)
    const sound = await soundDraft(catalog, input.definitionJson)
    const { ready, page, pageSize } = await prepareRun(context, catalog, sound, input)
    const planned = await explainReady(context, ready, { page, pageSize }, context.answerBytes)
    // What is expected to be found tells of records that access rules keep from the caller.
    const tellsRows = ready.readables.every(({ sight }) => sight === undefined)
    const { variance } = ready.report
    const isPast = sound.body['asOfDate'] !== undefined
    return { ...explain(planned, { isVariance: variance !== undefined, isPast }, tellsRows), cost: tellsRows ? planned.cost : null }
  },
})
