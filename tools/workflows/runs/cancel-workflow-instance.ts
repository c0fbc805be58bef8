import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { cancelRun } from './acting.ts'
import { lockRun } from './runs.store.ts'
import { exampleInstance, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'

export const cancelWorkflowInstance = defineOperation({
  ...writes(workflowInstance),
  errors: ['not_found'],
  name: 'cancel_workflow_instance',
  title: 'Cancel a run of a workflow',
  description:
    'Ends a run: what waits is withdrawn, done steps are undone in reverse where they say how, then it is cancelled. Ended: 409.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/cancel',
  roles: 'DataEdit',
  input: z.object({ workflowInstanceId }),
  examples: [{ title: 'End it', input: { workflowInstanceId: 77 }, output: exampleInstance }],
  async handler(context, input) {
    const run = await mustSeeRun(context, input.workflowInstanceId, lockRun)
    await cancelRun(context, run)
    return showRun(context, await mustSeeRun(context, input.workflowInstanceId))
  },
})
