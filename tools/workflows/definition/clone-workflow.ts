import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { exampleDraft, workflow, workflowSlot } from '../workflows.schema.ts'
import { createDraft, openDraft, withIds } from './drafts.ts'
import { copied } from './importing.ts'
import { showWorkflow } from './shown.ts'
import { keepAddresses } from './webhooks.ts'

export const cloneWorkflow = defineOperation({
  ...writes(workflow),
  name: 'clone_workflow',
  title: 'Copy a workflow',
  description: 'Copies the draft of a workflow under a new name, unpublished; its webhooks get addresses of their own.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/clone',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, internalName: newName('workflow') }),
  examples: [
    {
      title: 'To change it apart',
      input: { workflow: 'InspectionReview', internalName: 'AuditReview' },
      output: { ...exampleDraft, workflowId: 10_400, internalName: 'AuditReview' },
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const { catalog, row, body } = await openDraft(context, input.workflow)
      const copy = await withIds(context, (next) => copied(body, next))
      const { internalName } = input
      const draft = await createDraft(context, catalog, { internalName, description: row.description }, copy)
      await keepAddresses(context, draft.state.workflowId, copy)
      return showWorkflow(context, draft)
    })
  },
})
