import { z } from 'zod'

import { definitionId } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { action, stepId, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { savePart } from './editing.rules.ts'
import { action as actionGrammar } from './grammar.schema.ts'

const { displays, goTo, requiresComment, set, internalName } = actionGrammar.shape

export const saveWorkflowAction = defineOperation({
  ...writes(action),
  isIdempotent: true,
  name: 'save_workflow_action',
  title: 'Save an action of a step',
  description:
    'Adds a button to a step that people act on, or replaces the one of this actionId or name. Without actions an approval has approve and reject, a form submit.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}/actions',
  roles: 'BuilderAdmin',
  input: z.object({
    workflow: workflowSlot,
    stepId,
    actionId: definitionId.optional().describe('To replace it'),
    internalName,
    displays,
    goTo: goTo.describe('A step, or end; branches and next decide unless told'),
    requiresComment: requiresComment.describe('Refused without a comment'),
    set: set.describe('{variable: value}'),
    position: z.int().min(1).max(20).optional().describe('From 1; last unless told'),
  }),
  examples: [
    {
      title: 'Reject, with a comment',
      input: { workflow: 'InspectionReview', stepId: 10_301, internalName: 'reject', requiresComment: true, goTo: 'end' },
      output: { actionId: 10_303, stepId: 10_301, internalName: 'reject', requiresComment: true, goTo: 'end' },
    },
  ],
  async handler(context, input) {
    const { workflow, stepId: id, actionId: partId, position, ...part } = input
    const asked = { stepId: id, kind: 'action', part, partId, position } as const
    const { result } = await editDraft(context, workflow, (body, next) => savePart(body, asked, next))
    return { ...result, actionId: Number(result['actionId']), stepId: id }
  },
})
