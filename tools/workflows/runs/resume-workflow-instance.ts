import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { resumeRun } from './acting.ts'
import { lockRun } from './runs.store.ts'
import { exampleInstance, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'

export const resumeWorkflowInstance = defineOperation({
  ...writes(workflowInstance),
  errors: ['not_found'],
  name: 'resume_workflow_instance',
  title: 'Resume a paused run of a workflow',
  description: 'Lets a run go on that pause_workflow_instance holds. Not paused: 409.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/resume',
  roles: 'DataEdit',
  input: z.object({ workflowInstanceId }),
  examples: [{ title: 'Go on', input: { workflowInstanceId: 77 }, output: exampleInstance }],
  async handler(context, input) {
    const run = await mustSeeRun(context, input.workflowInstanceId, lockRun)
    await resumeRun(context, run)
    return showRun(context, await mustSeeRun(context, input.workflowInstanceId))
  },
})
