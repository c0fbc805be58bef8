import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { placeOfViews, showView } from './shown.ts'
import { entity, exampleView, view, viewSlot } from './views.schema.ts'

export const getView = defineOperation({
  ...reads(view),
  name: 'get_view',
  title: 'Get a view',
  description: 'One saved view: its columns, filters and sort as viewJson. execute_view runs it, update_view changes it.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views/{view}',
  roles: 'DataView',
  input: z.object({ entity, view: viewSlot }),
  examples: [{ title: 'By name', input: { entity: 'WorkOrder', view: 'OpenOrders' }, output: exampleView }],
  async handler(context, input) {
    const catalog = await cachedCatalog(context)
    const of = entityInPath(catalog, input.entity)
    return showView(context, catalog, of, await mustFindDefinition(context, placeOfViews(of), input.view))
  },
})
