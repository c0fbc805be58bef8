import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { envelope, validation } from '#platform/validation.ts'

import { workflowSlot } from '../workflows.schema.ts'
import { findDraftProblems, openDraft } from './drafts.ts'

export const validateWorkflow = defineOperation({
  ...reads(validation),
  name: 'validate_workflow',
  title: 'Check a workflow',
  description:
    'Everything that is wrong with the draft: unknown names with the nearest right one, absent targets, steps that nothing reaches, loops without a wait, roles that it lacks. publish_workflow refuses errors.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/validate',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot }),
  examples: [
    {
      title: 'A target that is not there',
      input: { workflow: 'InspectionReview' },
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.steps[0].actions[0].goTo',
            severity: 'error',
            message: 'There is no step "clos". A step leads within its own list, or to "end".',
            suggestion: 'close',
          },
        ],
      },
    },
  ],
  async handler(context, input) {
    return envelope(await findDraftProblems(context, await openDraft(context, input.workflow)))
  },
})
