import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { createDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { placeOfViews, readDraft, showView } from './shown.ts'
import { entity, exampleView, exampleViewJson, view, viewInput } from './views.schema.ts'

export const saveView = defineOperation({
  ...writes(view),
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity'],
  name: 'save_view',
  title: 'Create a view',
  description:
    'Saves a list of records for repeated use: which columns, filtered, sorted. describe_entity gives the names, validate_view tries it out; then execute_view.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views',
  roles: 'DataEdit',
  input: viewInput.extend({ entity }),
  examples: [
    {
      title: 'Open work orders for everybody',
      input: {
        entity: 'WorkOrder',
        internalName: 'OpenOrders',
        description: 'What is to be done',
        isShared: true,
        viewJson: exampleViewJson,
      },
      output: exampleView,
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const of = entityInPath(catalog, input.entity)
      const { internalName, description = '', isShared = false, isApiVisible = true } = input
      const draft = await readDraft(catalog, of, input.viewJson)
      const row = await createDefinition(context, placeOfViews(of), { internalName, description, isShared, isApiVisible, ...draft })
      return showView(context, catalog, of, row)
    })
  },
})
