import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { mustFindDefinition, removeDefinition } from '#tools/definitions/service.ts'

import { contextId, contextSlot } from './context.schema.ts'
import { placeOfContexts } from './shown.ts'

export const deleteContext = defineOperation({
  ...destroys(z.object({ contextId, deleted: z.literal(true) })),
  name: 'delete_context',
  title: 'Delete a context',
  description: 'Deletes a context; the records stay. 409 while another definition uses it, which it names.',
  method: 'DELETE',
  path: '/api/v1/context/{context}',
  roles: 'BuilderAdmin',
  input: z.object({ context: contextSlot, force }),
  examples: [{ title: 'By name', input: { context: 'OrderForCustomer' }, output: { contextId: 10_140, deleted: true } }],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const row = await mustFindDefinition(context, placeOfContexts, input.context)
      await removeDefinition(context, row, input.force)
      return { contextId: row.definitionId, deleted: true as const }
    })
  },
})
