import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { listDefinitionPage, maxDefinitions, placeOf } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { placeOfViews, showViews } from './shown.ts'
import { entity, exampleView, view } from './views.schema.ts'

const { page, pageNumber, pageSize, cursor } = pageInput

export const listViews = defineOperation({
  ...reads(z.array(view)),
  name: 'list_views',
  title: 'List views',
  description: 'The saved views of an entity that you may see, by name, each with what is wrong with it today. Then execute_view.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views/list',
  roles: 'DataView',
  input: z.object({ entity, page, pageNumber, pageSize: pageSize.describe('All unless told'), cursor }),
  examples: [{ title: 'Of work orders', input: { entity: 'WorkOrder' }, output: [exampleView] }],
  async handler(context, input) {
    const catalog = await cachedCatalog(context)
    const of = entityInPath(catalog, input.entity)
    const asked = { ...pageOf(context, { ...input, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const found = await listDefinitionPage(context, placeOfViews(of), asked)
    const shown = await showViews(context, catalog, of, found.rows)
    return listOf(asked, { rows: shown, hasMore: found.hasMore }, { show: (row) => row, cursor: placeOf })
  },
})
