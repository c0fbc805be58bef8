import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { listDefinitionPage, maxDefinitions, placeOf } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleWorkflow, workflow } from '../workflows.schema.ts'
import { placeOfWorkflows } from './drafts.ts'
import { showWorkflows } from './shown.ts'

const { page, pageNumber, pageSize, cursor } = pageInput

export const listWorkflows = defineOperation({
  ...reads(z.array(workflow)),
  errors: [],
  name: 'list_workflows',
  title: 'List workflows',
  description:
    'The workflows by name: what each is about, which version is published and whether its triggers fire. Then get_workflow, or start_workflow.',
  method: 'POST',
  path: '/api/v1/workflows/list',
  roles: 'DataView',
  input: z.object({ page, pageNumber, pageSize: pageSize.describe('All unless told'), cursor }),
  examples: [{ title: 'All of them', input: {}, output: [exampleWorkflow] }],
  async handler(context, input) {
    const asked = { ...pageOf(context, { ...input, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const found = await listDefinitionPage(context, placeOfWorkflows, asked)
    const shown = await showWorkflows(context, await cachedCatalog(context), found.rows)
    return listOf(asked, { rows: shown, hasMore: found.hasMore }, { show: (row) => row, cursor: placeOf })
  },
})
