import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { mustFindDefinition, removeDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { placeOfViews } from './shown.ts'
import { entity, entityInstanceViewId, viewSlot } from './views.schema.ts'

export const deleteView = defineOperation({
  ...destroys(z.object({ entityInstanceViewId, deleted: z.literal(true) })),
  name: 'delete_view',
  title: 'Delete a view',
  description: 'Deletes a saved view; its records stay. For its owner and builders.',
  method: 'DELETE',
  path: '/api/v1/entities/{entity}/views/{view}',
  roles: 'DataEdit',
  input: z.object({ entity, view: viewSlot, force }),
  examples: [
    { title: 'By name', input: { entity: 'WorkOrder', view: 'OpenOrders' }, output: { entityInstanceViewId: 10_120, deleted: true } },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const of = entityInPath(await cachedCatalog(context), input.entity)
      const row = await mustFindDefinition(context, placeOfViews(of), input.view)
      await removeDefinition(context, row, input.force)
      return { entityInstanceViewId: row.definitionId, deleted: true as const }
    })
  },
})
