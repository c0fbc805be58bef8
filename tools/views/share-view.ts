import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { sharing } from '#tools/definitions/definitions.schema.ts'
import { changeDefinition, mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { placeOfViews, showView } from './shown.ts'
import { entity, exampleView, view, viewSlot } from './views.schema.ts'

export const shareView = defineOperation({
  ...writes(view),
  isIdempotent: true,
  name: 'share_view',
  title: 'Share a view',
  description: 'Says who sees a view: everybody or its owner, and whether keys and agents do. Also finds one that is hidden from them.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views/{view}/share',
  roles: 'BuilderAdmin',
  input: z.object({
    entity,
    view: viewSlot,
    isShared: z.boolean().optional().describe('true where nothing is said'),
    isApiVisible: sharing.isApiVisible,
  }),
  examples: [{ title: 'With everybody', input: { entity: 'WorkOrder', view: 'OpenOrders', isShared: true }, output: exampleView }],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const of = entityInPath(catalog, input.entity)
      const row = await mustFindDefinition(context, placeOfViews(of), input.view, { isHiddenToo: true })
      const { isApiVisible } = input
      const isShared = input.isShared ?? (isApiVisible === undefined ? true : row.isShared)
      return showView(context, catalog, of, await changeDefinition(context, row, { isShared, isApiVisible }))
    })
  },
})
