import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { context as shownContext, contextSlot, exampleContext } from './context.schema.ts'
import { placeOfContexts, showContext } from './shown.ts'

export const getContext = defineOperation({
  ...reads(shownContext),
  name: 'get_context',
  title: 'Get a context',
  description:
    'One context with its includes and reports. hydrate_context reads its bundle, list_context_tokens tells what a text can name.',
  method: 'POST',
  path: '/api/v1/context/{context}',
  roles: 'any',
  input: z.object({ context: contextSlot }),
  examples: [{ title: 'By name', input: { context: 'OrderForCustomer' }, output: exampleContext }],
  async handler(context, input) {
    const row = await mustFindDefinition(context, placeOfContexts, input.context)
    return showContext(context, await cachedCatalog(context), row)
  },
})
