import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { definitionId } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { exampleStep, exampleTriggers, exampleWorkflow, workflowDetail, workflowSlot } from '../workflows.schema.ts'
import { findDraftProblems, openDraft } from './drafts.ts'
import { readPublished } from './published.ts'
import { showDetail } from './shown.ts'

export const getWorkflow = defineOperation({
  ...reads(workflowDetail),
  name: 'get_workflow',
  title: 'One workflow',
  description:
    'The draft of a workflow, or a published version: its steps with their actions and branches, triggers, what its runs may do, and what is wrong with it today.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}',
  roles: 'DataView',
  input: z.object({ workflow: workflowSlot, version: definitionId.optional().describe('A published one in place of the draft') }),
  examples: [
    {
      title: 'By name',
      input: { workflow: 'InspectionReview' },
      output: {
        workflow: exampleWorkflow,
        steps: [exampleStep],
        actions: exampleStep.actions,
        branches: [],
        triggers: exampleTriggers.map((one) => ({ triggerId: 10_310, ...one })),
        runtime: { roles: ['DataEdit'], variables: [], input: [], maxDurationDays: 365, concurrency: 'parallel' },
        validation: null,
      },
    },
  ],
  async handler(context, input) {
    const draft = await openDraft(context, input.workflow)
    const { version } = input
    if (version === undefined) return showDetail(context, draft, await findDraftProblems(context, draft))
    const published = await readPublished(context, draft.catalog, draft.state.workflowId, version)
    if (!published) throw new AppError('not_found', `The workflow has no version ${version}. list_workflow_versions shows them.`)
    return showDetail(context, { ...draft, body: published.body }, [])
  },
})
