import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { createDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { context as shownContext, contextDefinition, exampleContext, exampleContextInput } from './context.schema.ts'
import { placeOfContexts, readDraftOf, showContext } from './shown.ts'

export const createContext = defineOperation({
  ...writes(shownContext),
  errors: ['already_exists', 'unknown_property', 'unknown_entity'],
  name: 'create_context',
  title: 'Create a context',
  description:
    'Says which related records belong to a record of an entity: parents, children, peers, and theirs, and rows of reports. list_entity_relationships shows what is related, validate_context tries it out; then hydrate_context, or resolve_tokens.',
  method: 'POST',
  path: '/api/v1/context',
  roles: 'BuilderAdmin',
  input: contextDefinition,
  examples: [{ title: 'An order with its site and visits', input: exampleContextInput, output: exampleContext }],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const draft = await readDraftOf(context, catalog, input)
      const { internalName } = input
      const said = { internalName, description: '', isShared: true, isApiVisible: true }
      return showContext(context, catalog, await createDefinition(context, placeOfContexts, { ...said, ...draft }))
    })
  },
})
