import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { listDefinitionPage, maxDefinitions, placeOf } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { context as shownContext, exampleContext } from './context.schema.ts'
import { placeOfContexts, showContexts } from './shown.ts'

export const listContexts = defineOperation({
  ...reads(z.array(shownContext)),
  errors: [],
  name: 'list_contexts',
  title: 'List contexts',
  description:
    'The contexts by name: which records around one record make a bundle, each with what is wrong with it today. Then hydrate_context.',
  method: 'POST',
  path: '/api/v1/context/list',
  roles: 'any',
  input: z.object({
    pageSize: z.int().min(1).max(maxDefinitions).optional().describe('All unless told'),
    cursor: pageInput.cursor,
  }),
  examples: [{ title: 'All', input: {}, output: [exampleContext] }],
  async handler(context, input) {
    const page = { ...pageOf(context, { cursor: input.cursor, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const found = await listDefinitionPage(context, placeOfContexts, page)
    const shown = await showContexts(context, await cachedCatalog(context), found.rows)
    return listOf(page, { rows: shown, hasMore: found.hasMore }, { show: (row) => row, cursor: placeOf })
  },
})
