import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { changeDefinition, mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { context as shownContext, contextDefinition, contextSlot, exampleContext, exampleContextInput } from './context.schema.ts'
import { bodyOf, placeOfContexts, readDraftOf, showContext } from './shown.ts'

export const updateContext = defineOperation({
  ...writes(shownContext),
  isIdempotent: true,
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity'],
  name: 'update_context',
  title: 'Change a context',
  description:
    'Changes what is named; includes, reports and displays as a whole. get_context shows what there is, validate_context tries it out.',
  method: 'PUT',
  path: '/api/v1/context/{context}',
  roles: 'BuilderAdmin',
  input: contextDefinition.partial().extend({ context: contextSlot }),
  examples: [
    {
      title: 'Without the visits',
      input: { context: 'OrderForCustomer', includes: exampleContextInput.includes.slice(0, 1) },
      output: { ...exampleContext, includes: exampleContextInput.includes.slice(0, 1) },
    },
  ],
  async handler(context, { context: slot, internalName, ...given }) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const row = await mustFindDefinition(context, placeOfContexts, slot)
      const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      const draft =
        Object.keys(named).length === 0 ? {} : await readDraftOf(context, catalog, { ...(await bodyOf(context, catalog, row)), ...named })
      return showContext(
        context,
        catalog,
        await changeDefinition(context, row, { ...(internalName === undefined ? {} : { internalName }), ...draft }),
      )
    })
  },
})
