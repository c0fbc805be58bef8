import { z } from 'zod'

import { definitionId } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { branch, stepId, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { savePart } from './editing.rules.ts'
import { branch as branchGrammar } from './grammar.schema.ts'

const { when, goTo } = branchGrammar.shape

export const saveWorkflowBranch = defineOperation({
  ...writes(branch),
  name: 'save_workflow_branch',
  title: 'Save a branch of a step',
  description:
    'Adds a condition and where it leads to a step, or replaces the branch of this branchId. The first that holds counts; where none does, next.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}/branches',
  roles: 'BuilderAdmin',
  input: z.object({
    workflow: workflowSlot,
    stepId,
    branchId: definitionId.optional().describe('To replace it'),
    when: when.describe('As filterRules of list_instances; a rule may go by a token, such as $steps.check.action'),
    goTo: goTo.describe('A step, or end'),
    position: z.int().min(1).max(50).optional().describe('From 1; last unless told'),
  }),
  examples: [
    {
      title: 'Where it was rejected',
      input: {
        workflow: 'InspectionReview',
        stepId: 10_301,
        when: [{ property: '$steps.check.action', op: 'eq', value: 'reject' }],
        goTo: 'end',
      },
      output: { branchId: 10_330, stepId: 10_301, when: [{ property: '$steps.check.action', op: 'eq', value: 'reject' }], goTo: 'end' },
    },
  ],
  async handler(context, input) {
    const { workflow, stepId: id, branchId: partId, position, ...part } = input
    const asked = { stepId: id, kind: 'branch', part, partId, position } as const
    const { result } = await editDraft(context, workflow, (body, next) => savePart(body, asked, next))
    return { ...result, branchId: Number(result['branchId']), stepId: id }
  },
})
