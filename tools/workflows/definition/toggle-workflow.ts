import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { refuseChange } from '#tools/definitions/service.ts'
import { refuseGrant } from '#tools/users/service.ts'

import { findFlowVersion } from '../runs/versions.ts'
import { haltTriggers, keepTriggers } from '../triggers/live.ts'
import { exampleWorkflow, workflow, workflowSlot } from '../workflows.schema.ts'
import { setEnabled } from '../workflows.store.ts'
import { openDraft } from './drafts.ts'
import { showWorkflow } from './shown.ts'

export const toggleWorkflow = defineOperation({
  ...writes(workflow),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'toggle_workflow',
  title: 'Stop or resume the triggers of a workflow',
  description:
    'With isEnabled false nothing fires the workflow any more; runs under way go on, and start_workflow still starts one. Resuming asks for the roles of its runs.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/toggle',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, isEnabled: z.boolean().describe('false stops them') }),
  examples: [
    {
      title: 'Stop',
      input: { workflow: 'InspectionReview', isEnabled: false },
      output: { ...exampleWorkflow, isEnabled: false },
    },
  ],
  async handler(context, input) {
    return changeDefinitions(
      context,
      async () => [],
      async () => {
        const { tx, tenantId, actor } = context
        const draft = await openDraft(context, input.workflow)
        const { workflowId, version } = draft.state
        refuseChange(context, draft.row)
        if (version === null)
          throw new AppError('conflict', 'The workflow was never published, so nothing fires it. publish_workflow makes its triggers live.')
        const { isEnabled } = input
        const known = mustExist(await findFlowVersion(context, workflowId, version), 'version')
        if (isEnabled) {
          refuseGrant(actor.roleFlag, known.roleFlag)
          const { actsAs, triggers = [] } = known
          const sight = known.roleFlag | (actor.roleFlag & roleBits.DataView)
          await keepTriggers(context, { definitionId: workflowId, version, actsAs, roleFlag: sight, triggers })
        } else await haltTriggers(context, workflowId)
        await setEnabled(tx, tenantId, workflowId, isEnabled)
        context.audit({ workflowId, isEnabled })
        return showWorkflow(context, { ...draft, state: { ...draft.state, isEnabled } })
      },
    )
  },
})
