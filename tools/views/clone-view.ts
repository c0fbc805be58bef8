import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { copyDefinition, mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { placeOfViews, showView } from './shown.ts'
import { entity, exampleView, view, viewSlot } from './views.schema.ts'

export const cloneView = defineOperation({
  ...writes(view),
  name: 'clone_view',
  title: 'Copy a view',
  description: 'Copies a view under a new name, as your own and not shared. update_view then changes the copy.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views/{view}/clone',
  roles: 'DataEdit',
  input: z.object({ entity, view: viewSlot, internalName: newName('view') }),
  examples: [
    {
      title: 'To change it for oneself',
      input: { entity: 'WorkOrder', view: 'OpenOrders', internalName: 'MyOpenOrders' },
      output: { ...exampleView, entityInstanceViewId: 10_121, internalName: 'MyOpenOrders', isShared: false },
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const of = entityInPath(catalog, input.entity)
      const place = placeOfViews(of)
      const row = await mustFindDefinition(context, place, input.view)
      return showView(context, catalog, of, await copyDefinition(context, place, row, input.internalName))
    })
  },
})
