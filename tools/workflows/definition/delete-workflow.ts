import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { mustFindDefinition, removeDefinition } from '#tools/definitions/service.ts'

import { haltTriggers } from '../triggers/live.ts'
import { hasWaits } from '../triggers/waits.store.ts'
import { workflowId, workflowSlot } from '../workflows.schema.ts'
import { markDeleted } from '../workflows.store.ts'
import { placeOfWorkflows } from './drafts.ts'

export const deleteWorkflow = defineOperation({
  ...destroys(z.object({ workflowId, deleted: z.literal(true) })),
  name: 'delete_workflow',
  title: 'Delete a workflow',
  description:
    'Deletes a workflow with its triggers: nothing starts it any more. Its instances stay, and those under way go on. Refused while a step of one waits for a trigger, unless forced.',
  method: 'DELETE',
  path: '/api/v1/workflows/{workflow}',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, force }),
  examples: [{ title: 'By name', input: { workflow: 'InspectionReview' }, output: { workflowId: 10_300, deleted: true } }],
  async handler(context, input) {
    return changeDefinitions(
      context,
      async () => [],
      async () => {
        const { tx, tenantId, stamp } = context
        const row = await mustFindDefinition(context, placeOfWorkflows, input.workflow)
        if (input.force !== true && (await hasWaits(tx, tenantId, row.definitionId)))
          throw new AppError(
            'conflict',
            `Steps of instances of ${row.internalName} wait for a trigger, and would wait for ever. Cancel these instances or let them end, or repeat with force: true.`,
          )
        await haltTriggers(context, row.definitionId)
        await removeDefinition(context, row, input.force)
        await markDeleted(tx, tenantId, stamp, row.definitionId)
        return { workflowId: row.definitionId, deleted: true as const }
      },
    )
  },
})
