import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { listDefinitionPage, maxDefinitions, placeOf } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleReport, report } from './reports.schema.ts'
import { placeOfReports, showReports } from './shown.ts'

const { page, pageNumber, pageSize, cursor } = pageInput

export const listReports = defineOperation({
  ...reads(z.array(report)),
  name: 'list_reports',
  title: 'List reports',
  description: 'The reports that you may see, by name, each with what is wrong with it today. Then execute_report.',
  method: 'POST',
  path: '/api/v1/reports/list',
  roles: 'DataView',
  input: z.object({ page, pageNumber, pageSize: pageSize.describe('All unless told'), cursor }),
  examples: [{ title: 'All of them', input: {}, output: [exampleReport] }],
  async handler(context, input) {
    const catalog = await cachedCatalog(context)
    const asked = { ...pageOf(context, { ...input, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const found = await listDefinitionPage(context, placeOfReports, asked)
    const shown = await showReports(context, catalog, found.rows)
    return listOf(asked, { rows: shown, hasMore: found.hasMore }, { show: (row) => row, cursor: placeOf })
  },
})
