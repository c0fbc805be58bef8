import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { commentOn } from './acting.ts'
import { lockRun } from './runs.store.ts'
import { comment, exampleInstance, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'

export const commentWorkflowInstance = defineOperation({
  ...writes(workflowInstance),
  errors: ['not_found'],
  name: 'comment_workflow_instance',
  title: 'Comment on a run of a workflow',
  description: 'Writes a comment into the log of a run; get_workflow_instance_log shows it.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/comments',
  roles: 'DataEdit',
  input: z.object({ workflowInstanceId, comment }),
  examples: [{ title: 'A word', input: { workflowInstanceId: 77, comment: 'The customer called.' }, output: exampleInstance }],
  async handler(context, input) {
    const run = await mustSeeRun(context, input.workflowInstanceId, lockRun)
    await commentOn(context, run, input.comment)
    return showRun(context, await mustSeeRun(context, input.workflowInstanceId))
  },
})
