import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { changeDefinition, mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { placeOfViews, readDraft, showView } from './shown.ts'
import { entity, exampleView, exampleViewJson, view, viewInput, viewSlot } from './views.schema.ts'

export const updateView = defineOperation({
  ...writes(view),
  isIdempotent: true,
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity'],
  name: 'update_view',
  title: 'Change a view',
  description: 'Changes what is named; viewJson as a whole. For its owner and builders: others copy it with clone_view.',
  method: 'PUT',
  path: '/api/v1/entities/{entity}/views/{view}',
  roles: 'DataEdit',
  input: viewInput.partial().extend({ entity, view: viewSlot }),
  examples: [
    {
      title: 'Fewer rows a page',
      input: { entity: 'WorkOrder', view: 'OpenOrders', viewJson: { ...exampleViewJson, pageSize: 10 } },
      output: { ...exampleView, viewJson: JSON.stringify({ ...exampleViewJson, pageSize: 10 }) },
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const of = entityInPath(catalog, input.entity)
      const row = await mustFindDefinition(context, placeOfViews(of), input.view)
      const { internalName, description, isShared, isApiVisible, viewJson } = input
      const draft = viewJson === undefined ? {} : await readDraft(catalog, of, viewJson)
      const changed = await changeDefinition(context, row, { internalName, description, isShared, isApiVisible, ...draft })
      return showView(context, catalog, of, changed)
    })
  },
})
