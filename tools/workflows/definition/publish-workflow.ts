import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { toIssue } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { issue } from '#platform/validation.ts'

import { exampleWorkflow, workflow, workflowSlot } from '../workflows.schema.ts'
import { openDraft } from './drafts.ts'
import { publish } from './publishing.ts'
import { showWorkflow } from './shown.ts'

export const publishWorkflow = defineOperation({
  ...writes(workflow.extend({ issues: z.array(issue).describe('Warnings') })),
  errors: ['not_found', 'unprocessable'],
  name: 'publish_workflow',
  title: 'Publish a workflow',
  description:
    'Freezes the draft as the next version and makes its triggers live; runs under way keep theirs. 422 with the issues of validate_workflow, 403 where it asks for roles that you lack.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/publish',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot }),
  examples: [{ title: 'The first version', input: { workflow: 'InspectionReview' }, output: { ...exampleWorkflow, issues: [] } }],
  async handler(context, input) {
    // Saves learn by the catalog what its triggers watch for.
    return changeDefinitions(
      context,
      async () => [],
      async () => {
        const { draft, warnings } = await publish(context, await openDraft(context, input.workflow))
        return { ...(await showWorkflow(context, draft)), issues: warnings.map(toIssue) }
      },
    )
  },
})
